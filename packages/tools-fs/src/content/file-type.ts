export interface FileType {
  mimeType: string;
  name: string;
}

interface Signature extends FileType {
  magic: string;
  at?: number;
}

const type = (magic: string, mimeType: string, name: string, at?: number): Signature =>
  at === undefined ? { magic, mimeType, name } : { magic, mimeType, name, at };

/** The four image types of `read` come first. */
const SIGNATURES: readonly Signature[] = [
  type("\x89PNG\r\n\x1a\n", "image/png", "PNG image"),
  type("\xff\xd8\xff", "image/jpeg", "JPEG image"),
  type("GIF87a", "image/gif", "GIF image"),
  type("GIF89a", "image/gif", "GIF image"),
  type("WEBP", "image/webp", "WebP image", 8),
  type("%PDF-", "application/pdf", "PDF document"),
  type("PK\x03\x04", "application/zip", "ZIP archive, or a document made of one (docx, xlsx, jar …)"),
  type("PK\x05\x06", "application/zip", "empty ZIP archive"),
  type("\x1f\x8b", "application/gzip", "gzip archive"),
  type("BZh", "application/x-bzip2", "bzip2 archive"),
  type("\xfd7zXZ\0", "application/x-xz", "xz archive"),
  type("\x28\xb5\x2f\xfd", "application/zstd", "Zstandard archive"),
  type("7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "7-Zip archive"),
  type("Rar!\x1a\x07", "application/vnd.rar", "RAR archive"),
  type("ustar", "application/x-tar", "tar archive", 257),
  type("\x7fELF", "application/x-elf", "ELF executable or library"),
  type("MZ", "application/vnd.microsoft.portable-executable", "Windows executable"),
  type("\xcf\xfa\xed\xfe", "application/x-mach-binary", "Mach-O executable"),
  type("\xca\xfe\xba\xbe", "application/java-vm", "Java class or universal Mach-O executable"),
  type("\0asm", "application/wasm", "WebAssembly module"),
  type("SQLite format 3\0", "application/vnd.sqlite3", "SQLite database"),
  type("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage", "old Office document (OLE)"),
  type("II*\0", "image/tiff", "TIFF image"),
  type("MM\0*", "image/tiff", "TIFF image"),
  type("\0\0\x01\0", "image/vnd.microsoft.icon", "icon"),
  type("8BPS", "image/vnd.adobe.photoshop", "Photoshop image"),
  type("ftypavif", "image/avif", "AVIF image", 4),
  type("ftyphei", "image/heic", "HEIC image", 4),
  type("ftypmif1", "image/heif", "HEIF image", 4),
  type("ftypqt", "video/quicktime", "QuickTime video", 4),
  type("ftyp", "video/mp4", "MP4 video or audio", 4),
  type("\x1aE\xdf\xa3", "video/x-matroska", "Matroska or WebM video"),
  type("WAVE", "audio/wav", "WAV audio", 8),
  type("AVI ", "video/x-msvideo", "AVI video", 8),
  type("OggS", "audio/ogg", "Ogg audio or video"),
  type("fLaC", "audio/flac", "FLAC audio"),
  type("ID3", "audio/mpeg", "MP3 audio"),
  type("wOFF", "font/woff", "web font"),
  type("wOF2", "font/woff2", "web font"),
  type("\0\x01\0\0\0", "font/ttf", "TrueType font"),
  type("OTTO\0", "font/otf", "OpenType font"),
];

const HEAD = 264;
const BITMAP_HEADERS: ReadonlySet<number> = new Set([12, 40, 52, 56, 64, 108, 124]);

export function fileType(bytes: Buffer): FileType | undefined {
  const head = bytes.toString("latin1", 0, HEAD);
  if (isBitmap(bytes)) return { mimeType: "image/bmp", name: "BMP image" };
  const found = SIGNATURES.find(({ magic, at = 0 }) => head.startsWith(magic, at));
  return found && { mimeType: found.mimeType, name: found.name };
}

/** Text may begin with "BM", so the header's size must also be valid. */
function isBitmap(bytes: Buffer): boolean {
  return (
    bytes.length >= 26 && bytes[0] === 0x42 && bytes[1] === 0x4d && BITMAP_HEADERS.has(bytes.readUInt32LE(14))
  );
}
