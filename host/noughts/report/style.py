"""How the page looks, on a screen and in print; it needs nothing but itself."""

CSS = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #1f2937;
  background: white; max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } h2 { margin: 2rem 0 .5rem; border-bottom: 2px solid #e2e8f0; }
.made, .note { color: #475569; } .made { margin-top: .25rem; }
.facts { display: flex; flex-wrap: wrap; gap: 1rem; padding: 0; list-style: none; }
.facts li { border: 1px solid #cbd5e1; border-radius: .5rem; padding: .5rem 1rem; }
.facts b { display: block; font-size: 1.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #e2e8f0; text-align: right;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
th { color: #475569; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 11rem;
  overflow-wrap: anywhere; }
.positions { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr));
  gap: 1.5rem; }
figure { margin: 0; } figure svg { display: block; border: 1px solid #cbd5e1; }
figcaption { margin-top: .5rem; } figcaption p { margin: .25rem 0; }
@media print {
  body { font-size: 10pt; max-width: none; margin: 0; padding: 0; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .positions { grid-template-columns: repeat(3, 1fr); gap: 1rem; }
  figure svg { width: 38mm; height: 38mm; }
  h2 { break-after: avoid; } h2.page { break-before: page; } thead { display: table-header-group; }
  tr, figure, .facts { break-inside: avoid; } .scroll { overflow: visible; }
}
"""
