/** Where Node keeps what it made of the sources, for all programs that tests start. */
export declare const compileCache: string;
/** A new folder for the state of processes, whose runners start as fast as those of a host that has run before. */
export declare function stateFolderIn(folder: string): string;
/** For programs that tests kill, once they are loaded: Node writes down what it compiled only when one ends by itself. */
export declare function keepCompiled(): void;
