"""The style sheet of an audit's page: for a screen, a phone of 320 pixels, and A4 paper. Pure."""

from __future__ import annotations

from typing import Final

LIGHT: Final = {
    "ink": "#1c1917", "muted": "#57534e", "grid": "#e2dfda", "paper": "#fdfcfa", "card": "#f4f1ec",
    "blue": "#1f5fa8", "orange": "#b45309", "red": "#b3261e", "good": "#276b3c",
}  # fmt: skip
DARK: Final = {
    "ink": "#ece8e1", "muted": "#a8a29b", "grid": "#3a3733", "paper": "#191715", "card": "#24211e",
    "blue": "#7fb2ee", "orange": "#f0a35e", "red": "#ff8f84", "good": "#86d39c",
}  # fmt: skip


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in colours.items())


STYLE: Final = f"""
:root {{ color-scheme: light dark; {_variables(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}
body {{ margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.7rem; margin: 0 0 .2rem; }} h2 {{ font-size: 1.25rem; margin: 2.6rem 0 .4rem; }}
h3 {{ font-size: 1.02rem; margin: 2rem 0 .3rem; }}
p {{ margin: .3rem 0 .7rem; max-width: 46rem; }} .muted {{ color: var(--muted); }}
table {{ border-collapse: collapse; width: 100%; font-size: .93rem; }}
th {{ text-align: left; font-weight: 600; color: var(--muted); white-space: nowrap; }}
th, td {{ padding: .38rem .9rem .38rem 0; border-bottom: 1px solid var(--grid); vertical-align: top; }}
td.number {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
td.short {{ white-space: nowrap; }}
.squares {{ display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; margin: .6rem 0; list-style: none; }}
.squares li {{ background: var(--card); border-radius: .4rem; padding: .25rem .7rem;
  border-left: .3rem solid var(--muted); }}
.squares li.pass {{ border-left-color: var(--good); }}
.squares li.fail {{ border-left: .3rem double var(--red); font-weight: 600; }}
.squares li.unproven {{ border-left: .3rem dashed var(--orange); font-weight: 600; }}
.banner {{ background: var(--card); border-left: .3rem double var(--red); padding: .6rem 1rem; }}
summary {{ cursor: pointer; white-space: nowrap; }} details p {{ max-width: 14rem; white-space: normal; }}
.record {{ display: flex; flex-wrap: wrap; gap: 1rem 1.5rem; align-items: flex-start; }}
.record dl {{ flex: 1 1 20rem; min-width: 0; margin: 0; }} .record svg {{ width: 11rem; background: #fff; }}
dt {{ color: var(--muted); font-size: .9rem; }} dd {{ margin: 0 0 .5rem; }}
.letters {{ font: .85rem/1.4 ui-monospace, monospace; }}
figure {{ margin: .4rem 0 0; overflow-x: auto; }} figcaption {{ color: var(--muted); font-size: .9rem; }}
figure svg {{ width: 100%; min-width: 36rem; height: auto; display: block; }}
figcaption {{ position: sticky; left: 0; }}
@media screen and (max-width: 37rem) {{ figcaption::after {{ content: " Swipe the plot for the rest of it."; }} }}
@media screen and (max-width: 40rem) {{
  body {{ padding: 1rem .8rem 3rem; }}
  table, tbody, tr, td {{ display: block; }} thead {{ display: none; }}
  tr {{ border-bottom: 1px solid var(--grid); padding: .5rem 0; }}
  td, td.number, td.short {{ border: 0; padding: .1rem 0; text-align: left; white-space: normal; }}
  td::before {{ content: attr(data-head) ": "; color: var(--muted); }} td:empty {{ display: none; }}
  td details {{ display: inline-block; vertical-align: top; margin-right: .8rem; }}
}}
@media print {{
  :root {{ {_variables(LIGHT | {"paper": "#fff"})} }}
  @page {{ size: A4; margin: 12mm; }}
  body {{ max-width: none; padding: 0; font-size: 9pt; line-height: 1.3; }}
  h1 {{ font-size: 14pt; }} h2 {{ font-size: 11.5pt; margin: 3mm 0 1mm; }}
  h3 {{ font-size: 10pt; margin: 2.5mm 0 1mm; }}
  h1, h2, h3 {{ break-after: avoid; }} p {{ margin: .5mm 0 1mm; max-width: none; orphans: 3; widows: 3; }}
  thead {{ display: table-header-group; }} tr, figure, .record, section.small {{ break-inside: avoid; }}
  table {{ font-size: 8.5pt; }} th, td {{ padding: .4mm 3mm .4mm 0; }}
  .squares {{ gap: 1.5mm; margin: 1mm 0; }} .squares li {{ padding: .3mm 2mm; print-color-adjust: exact; }}
  .pictures {{ display: grid; grid-template-columns: repeat(3, 1fr); gap: 2mm 4mm; }}
  .pictures section:first-child {{ grid-column: 1 / -1; }} .pictures section:first-child svg {{ max-height: 88mm; }}
  dl {{ display: grid; grid-template-columns: 28mm 1fr; gap: .5mm 2mm; }} dt, dd {{ font-size: 8.5pt; margin: 0; }}
  figure {{ overflow: visible; margin: 0; }} figure svg {{ min-width: 0; max-height: 62mm; }}
  figcaption {{ font-size: 7.5pt; }} .record svg {{ width: 34mm; }} .letters {{ font-size: 7pt; }}
  details p {{ display: none; }} summary {{ list-style: none; }}
}}
@media not print {{ .paper {{ display: none; }} }}
""".strip()
