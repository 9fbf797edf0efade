const SANS = "ui-sans-serif, system-ui, sans-serif";
const MONO = "ui-monospace, 'SFMono-Regular', Menlo, Consolas, monospace";

/** Hues that people with any kind of colour blindness tell apart, in two brightnesses; printed always light. */
const LIGHT = `--page:#fff;--soft:#57606a;--ink:#1b1f24;--line:#d0d7de;--box:#f6f8fa;
--ok:#0b5a44;--ok-bg:#d5efe4;--ok-bar:#3aa583;--bad:#8a2b06;--bad-bg:#fadccd;--bad-bar:#d9622b;
--warn:#6b4a00;--warn-bg:#fbe8bd;--warn-bar:#d9a21b;--calm:#0b4f7d;--calm-bg:#d8ebf9;--calm-bar:#3d8fc9;
--mute:#4b525a;--mute-bg:#e7eaee;--mute-bar:#8b949e;--add:#dff5e8;--del:#fbe4da;`;
const DARK = `--page:#0d1117;--soft:#9198a1;--ink:#e6edf3;--line:#30363d;--box:#161b22;
--ok:#7fdcb8;--ok-bg:#0d3a2d;--ok-bar:#2f9c79;--bad:#ffab85;--bad-bg:#521f0b;--bad-bar:#d9622b;
--warn:#f5c95c;--warn-bg:#453400;--warn-bar:#c9961a;--calm:#8ccbf7;--calm-bg:#0c324d;--calm-bar:#3d8fc9;
--mute:#b4bcc5;--mute-bg:#2a3038;--mute-bar:#6e7681;--add:#0d2f24;--del:#3d1a0d;`;

/** The whole style of a report; its hash is what the page allows. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
@media print{:root{color-scheme:light;${LIGHT}}}
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem 1.25rem 4rem;max-width:72rem;background:var(--page);color:var(--ink);font:15px/1.5 ${SANS}}
h1{font-size:1.45rem;margin:0}h2{font-size:1.1rem;margin:2.2rem 0 .6rem}h3{font-size:.9rem;margin:1rem 0 .3rem}
p{margin:.2rem 0 .8rem}code,pre{font:13px/1.5 ${MONO}}a{color:inherit}
.soft{color:var(--soft)}small{color:var(--soft);font-size:.85rem}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.6rem 0}
dl.facts dt{color:var(--soft)}dl.facts dd{margin:0;overflow-wrap:anywhere}
ul.totals{display:flex;flex-wrap:wrap;gap:.6rem;list-style:none;padding:0;margin:1.2rem 0 0}
ul.totals li{border:1px solid var(--line);border-radius:.6rem;padding:.5rem .9rem;background:var(--box)}
ul.totals b{display:block;font-size:1.3rem;line-height:1.3}
ul.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;list-style:none;padding:0;margin:.8rem 0;font-size:.85rem;color:var(--soft)}
.ok{--fg:var(--ok);--bg:var(--ok-bg);--bar:var(--ok-bar)}
.error{--fg:var(--bad);--bg:var(--bad-bg);--bar:var(--bad-bar)}
.blocked,.interrupted{--fg:var(--warn);--bg:var(--warn-bg);--bar:var(--warn-bar)}
.waiting,.running{--fg:var(--calm);--bg:var(--calm-bg);--bar:var(--calm-bar)}
.cancelled,.gap{--fg:var(--mute);--bg:var(--mute-bg);--bar:var(--mute-bar)}
.mark{display:inline-flex;align-items:center;gap:.35rem;padding:0 .5rem;border-radius:.5rem;background:var(--bg);color:var(--fg);font-weight:600;font-size:.82rem;white-space:nowrap}
.mark svg{width:.95rem;height:.95rem;flex:none;fill:none;stroke:currentColor;stroke-width:1.9;stroke-linecap:round;stroke-linejoin:round}
svg.defs{position:absolute;width:0;height:0}
.grid>.mark{justify-self:start}
.grid{display:grid;grid-template-columns:7.2rem minmax(0,1.15fr) minmax(0,1fr) 5rem;gap:.8rem;align-items:center}
.axis{padding:0 .4rem;border-bottom:1px solid var(--line);color:var(--soft);font-size:.8rem}
.axis svg{display:block;width:100%;height:1.5rem;overflow:visible;fill:currentColor;stroke:none}
.axis .tick{stroke:var(--line)}.axis .break{stroke:var(--soft);stroke-dasharray:2 3}
.call{border-bottom:1px solid var(--line)}
.call>summary,.row{list-style:none;padding:.3rem .4rem;cursor:pointer}
.row{cursor:default;border-bottom:1px solid var(--line)}
.call>summary::-webkit-details-marker{display:none}
.call>summary:hover{background:var(--box)}
.call>summary:focus-visible,a:focus-visible{outline:2px solid var(--calm-bar);outline-offset:-2px}
.call[open]>summary{background:var(--box)}
.line{font:13px/1.5 ${MONO};overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.took{text-align:right;font-variant-numeric:tabular-nums;color:var(--soft);font-size:.85rem;white-space:nowrap}
svg.bar{display:block;width:100%;height:.9rem;overflow:visible}
svg.bar .track{fill:var(--box)}svg.bar .wait{fill:var(--bg);stroke:var(--bar);stroke-dasharray:3 2;vector-effect:non-scaling-stroke}svg.bar .ran{fill:var(--bar)}
.inside{display:grid;grid-template-columns:minmax(0,19rem) minmax(0,1fr);gap:0 1.5rem;padding:.3rem 1rem 1.2rem;font-size:.9rem}
.child{padding-left:1.4rem}
pre{margin:.2rem 0;padding:.6rem .8rem;background:var(--box);border:1px solid var(--line);border-radius:.5rem;white-space:pre-wrap;overflow-wrap:anywhere;max-height:32rem;overflow:auto;unicode-bidi:plaintext}
pre.diff{padding:.4rem 0}
pre.diff span{display:block;padding:0 .8rem}
.add{background:var(--add)}.del{background:var(--del)}.hunk{color:var(--soft)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .8rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}th{color:var(--soft);font-weight:500;white-space:nowrap}
footer{margin-top:3rem;color:var(--soft);font-size:.85rem}
@media (max-width:56rem){.inside{grid-template-columns:minmax(0,1fr)}}
@media (max-width:44rem){.grid{grid-template-columns:6.6rem minmax(0,1fr) 4rem}.grid>.lane{display:none}}
@media print{body{max-width:none;padding:0;font-size:11px}code,pre,.line{font-size:10px}pre{max-height:none;overflow:visible}
.call{break-inside:avoid-page}.call::details-content{content-visibility:visible;block-size:auto;height:auto}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`;
