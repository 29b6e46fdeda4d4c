# %% write and read back
import pandas as pd

df = pd.DataFrame({"name": ["Ana", "Bø"], "n": [1, 2], "x": [0.5, None]})
df.to_excel("out.xlsx", index=False, sheet_name="Data")
back = pd.read_excel("out.xlsx", sheet_name="Data")
print(back.equals(df))
back

# %% several sheets
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv")
with pd.ExcelWriter("report.xlsx", engine="openpyxl") as writer:
    for product, part in df.groupby("product"):
        part.to_excel(writer, sheet_name=product, index=False)
    df.describe().to_excel(writer, sheet_name="Summary")
sheets = pd.read_excel("report.xlsx", sheet_name=None)
{name: sheet.shape for name, sheet in sheets.items()}

# %% xlsxwriter with formats and a chart
import pandas as pd

df = pd.DataFrame({"month": ["Jan", "Feb", "Mar"], "revenue": [1200.5, 1350.0, 990.25]})
with pd.ExcelWriter("styled.xlsx", engine="xlsxwriter") as writer:
    df.to_excel(writer, sheet_name="R", index=False)
    book, sheet = writer.book, writer.sheets["R"]
    sheet.set_column("B:B", 14, book.add_format({"num_format": "#,##0.00"}))
    sheet.conditional_format("B2:B4", {"type": "3_color_scale"})
    chart = book.add_chart({"type": "column"})
    chart.add_series({"categories": "=R!$A$2:$A$4", "values": "=R!$B$2:$B$4"})
    sheet.insert_chart("D2", chart)
print(pd.read_excel("styled.xlsx")["revenue"].sum())

# %% openpyxl styles and formulas
from openpyxl import Workbook, load_workbook
from openpyxl.styles import Font, PatternFill

wb = Workbook()
ws = wb.active
ws.title = "Costs"
ws.append(["item", "cost"])
for row in [("tea", 3.5), ("cake", 4.25), ("jam", 2)]:
    ws.append(row)
ws["B5"] = "=SUM(B2:B4)"
ws["A1"].font = Font(bold=True)
ws["A1"].fill = PatternFill("solid", fgColor="FFFF00")
ws.column_dimensions["A"].width = 20
wb.save("costs.xlsx")
again = load_workbook("costs.xlsx")["Costs"]
print(again.dimensions, again["B5"].value, again["A1"].font.bold)
[[cell.value for cell in row] for row in again.iter_rows(min_row=2, max_row=4)]

# %% openpyxl chart and merged cells
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference

wb = Workbook()
ws = wb.active
for i in range(1, 6):
    ws.append([f"k{i}", i * i])
chart = BarChart()
chart.add_data(Reference(ws, min_col=2, min_row=1, max_row=5))
chart.title = "Squares"
ws.add_chart(chart, "D1")
ws.merge_cells("A7:B7")
ws["A7"] = "merged"
wb.save("chart.xlsx")
len(ws._charts), str(ws.merged_cells)

# %% dates in cells
from datetime import date, datetime

from openpyxl import Workbook, load_workbook

wb = Workbook()
wb.active.append([date(2024, 5, 1), datetime(2024, 5, 1, 12, 30)])
wb.save("dates.xlsx")
[c.value for c in next(load_workbook("dates.xlsx").active.iter_rows())]

# %% read only some of a sheet
import pandas as pd

pd.DataFrame({c: range(10) for c in "abcde"}).to_excel("big.xlsx", index=False, startrow=2)
pd.read_excel("big.xlsx", header=2, usecols="A,C:D", nrows=3)

# %% append a sheet
import pandas as pd
from openpyxl import load_workbook

pd.DataFrame({"a": [1]}).to_excel("book.xlsx", sheet_name="one", index=False)
with pd.ExcelWriter("book.xlsx", mode="a", engine="openpyxl") as w:
    pd.DataFrame({"b": [2]}).to_excel(w, sheet_name="two", index=False)
load_workbook("book.xlsx").sheetnames

# %% multi index to a sheet
#% with sales.csv
import pandas as pd

df = pd.read_csv("sales.csv")
t = df.pivot_table(index=["region", "product"], values="units", aggfunc=["sum", "mean"]).round(2)
t.to_excel("pivot.xlsx")
pd.read_excel("pivot.xlsx", header=[0, 1], index_col=[0, 1]).head(3)

# %% data validation and a frozen pane
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.datavalidation import DataValidation

wb = Workbook()
ws = wb.active
ws.freeze_panes = "A2"
dv = DataValidation(type="list", formula1='"yes,no"')
ws.add_data_validation(dv)
dv.add("A2:A9")
wb.save("form.xlsx")
load_workbook("form.xlsx").active.freeze_panes

# %% xlsxwriter alone in memory
import io

import xlsxwriter

buffer = io.BytesIO()
with xlsxwriter.Workbook(buffer, {"in_memory": True}) as book:
    sheet = book.add_worksheet("Ü")
    sheet.write_row("A1", ["α", 1, 2.5, True])
    sheet.write_formula("A2", "=B1+C1", None, 3.5)
with open("mem.xlsx", "wb") as f:
    f.write(buffer.getvalue())

from openpyxl import load_workbook

ws = load_workbook("mem.xlsx", data_only=True)["Ü"]
[c.value for c in ws[1]], ws["A2"].value

# %% missing sheet
import pandas as pd

pd.DataFrame({"a": [1]}).to_excel("x.xlsx")
pd.read_excel("x.xlsx", sheet_name="Nope")

# %% not a workbook
import pandas as pd

with open("fake.xlsx", "w") as f:
    f.write("a,b\n1,2\n")
pd.read_excel("fake.xlsx", engine="openpyxl")

# %% word document
from docx import Document

doc = Document()
doc.add_heading("Report", 0)
doc.add_paragraph("Plain and ").add_run("bold").bold = True
table = doc.add_table(rows=1, cols=2)
table.rows[0].cells[0].text = "a"
table.rows[0].cells[1].text = "b"
doc.save("report.docx")
back = Document("report.docx")
[p.text for p in back.paragraphs], back.tables[0].rows[0].cells[1].text

# %% pdf pages
from matplotlib.backends.backend_pdf import PdfPages
import matplotlib.pyplot as plt
from pypdf import PdfReader, PdfWriter

with PdfPages("two.pdf") as pdf:
    for title in ("one", "two"):
        fig = plt.figure()
        plt.plot([1, 2])
        plt.title(title)
        pdf.savefig(fig)
        plt.close(fig)
reader = PdfReader("two.pdf")
writer = PdfWriter()
writer.add_page(reader.pages[1])
print(len(reader.pages), len(writer.pages), reader.pages[0].mediabox.width)
