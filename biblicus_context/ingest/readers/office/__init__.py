"""Files of Word, PowerPoint and Excel: zip archives of XML, read with the standard library within limits.

Libraries that do so install 15 to 40 MB (lxml, Pillow) for features that texts do not need.
"""

from biblicus_context.ingest.readers.office.document import read_docx
from biblicus_context.ingest.readers.office.slides import read_pptx
from biblicus_context.ingest.readers.office.workbook import read_xlsx

__all__ = ["read_docx", "read_pptx", "read_xlsx"]
