"""Which baked library does the job of one that is not there: data for the missing-module hint.

A name is offered only if the image has it (and the operator advertises it): the hint never lists
what the image holds.
"""

# missing module: (libraries that do the job, in order of preference; what to say of them)
INSTEAD = {
    "polars": (("pandas",), "for data frames"),
    "dask": (("pandas",), "in chunks (chunksize=…) for large files"),
    "modin": (("pandas",), "for data frames"),
    "vaex": (("pandas",), "for data frames"),
    "cudf": (("pandas",), "for data frames"),
    "pyarrow": (("pandas",), "with CSV or Excel files"),
    "pytables": (("pandas",), "with CSV or Excel files"),
    "tables": (("pandas",), "with CSV or Excel files"),
    "fastparquet": (("pandas",), "with CSV or Excel files"),
    "duckdb": (("pandas", "sqlite3"), "or sqlite3 for SQL"),
    "pandasql": (("sqlite3",), "with DataFrame.to_sql for SQL"),
    "pyspark": (("pandas",), "for data frames"),
    "plotly": (("matplotlib",), "for charts"),
    "altair": (("matplotlib",), "for charts"),
    "bokeh": (("matplotlib",), "for charts"),
    "pygal": (("matplotlib",), "for charts"),
    "plotnine": (("matplotlib",), "for charts"),
    "seaborn": (("matplotlib",), "for charts"),
    "folium": (("matplotlib",), "for maps drawn from coordinates"),
    "geopandas": (("pandas", "matplotlib"), "for coordinates and drawing"),
    "wordcloud": (("matplotlib",), "for a bar chart of the counts"),
    "mplfinance": (("matplotlib",), "for price charts"),
    "missingno": (("matplotlib",), "with df.isna() for missing values"),
    "cv2": (("PIL",), "(Pillow) with numpy for images"),
    "skimage": (("PIL", "scipy"), "(scipy.ndimage, Pillow) for images"),
    "imageio": (("PIL",), "(Pillow) for images"),
    "wand": (("PIL",), "(Pillow) for images"),
    "pytesseract": (("PIL",), "(Pillow) for images; text recognition is not available"),
    "torch": (("sklearn",), "(scikit-learn) or numpy for models"),
    "tensorflow": (("sklearn",), "(scikit-learn) or numpy for models"),
    "keras": (("sklearn",), "(scikit-learn) for models"),
    "jax": (("numpy",), "for arrays"),
    "cupy": (("numpy",), "for arrays"),
    "numba": (("numpy",), "for fast array code"),
    "xgboost": (("sklearn",), "(HistGradientBoostingRegressor or …Classifier)"),
    "lightgbm": (("sklearn",), "(HistGradientBoostingRegressor or …Classifier)"),
    "catboost": (("sklearn",), "(HistGradientBoostingRegressor or …Classifier)"),
    "statsmodels": (("scipy", "sklearn"), "(scipy.stats, scikit-learn) for regressions and tests"),
    "pingouin": (("scipy",), "(scipy.stats) for tests"),
    "prophet": (("statsmodels", "scipy"), "for trend and seasonality"),
    "pmdarima": (("statsmodels", "scipy"), "for time series"),
    "lifelines": (("scipy",), "for survival times"),
    "pulp": (("scipy",), "(scipy.optimize.linprog, milp) for linear programs"),
    "cvxpy": (("scipy",), "(scipy.optimize) for optimisation"),
    "ortools": (("scipy",), "(scipy.optimize.milp) for optimisation"),
    "networkx": (("scipy",), "(scipy.sparse.csgraph) for graphs"),
    "igraph": (("networkx", "scipy"), "for graphs"),
    "nltk": (("sklearn",), "(feature_extraction.text) with re for text"),
    "spacy": (("sklearn",), "(feature_extraction.text) with re for text"),
    "textblob": (("sklearn",), "(feature_extraction.text) with re for text"),
    "gensim": (("sklearn",), "(decomposition, feature_extraction.text) for topics"),
    "transformers": (("sklearn",), "(scikit-learn) for models"),
    "xlrd": (("openpyxl",), "through pandas for .xlsx; old .xls files cannot be read"),
    "xlsxwriter": (("openpyxl",), "for Excel files: pandas' engine='openpyxl'"),
    "xlwt": (("openpyxl",), "for Excel files, as .xlsx"),
    "pyexcel": (("openpyxl",), "for Excel files"),
    "PyPDF2": (("pypdf",), "for the text of PDF files"),
    "fitz": (("pypdf",), "for the text of PDF files"),
    "pdfplumber": (("pypdf",), "for the text of PDF files"),
    "bs4": (("lxml",), "(lxml.html) for HTML"),
    "html5lib": (("lxml",), "(lxml.html) for HTML"),
    "xmltodict": (("lxml",), "or xml.etree for XML"),
    "ujson": (("json",), "for JSON"),
    "orjson": (("json",), "for JSON"),
    "simplejson": (("json",), "for JSON"),
    "yaml": (("json",), "for data files; YAML is not available"),
    "toml": (("tomllib",), "for reading TOML"),
    "dateutil": (("datetime",), "for dates"),
    "pytz": (("zoneinfo",), "for time zones"),
    "arrow": (("datetime",), "with zoneinfo for dates"),
    "pendulum": (("datetime",), "with zoneinfo for dates"),
    "rich": (("tabulate",), "or print for text tables"),
    "prettytable": (("tabulate",), "for text tables"),
    "mpmath": (("sympy", "decimal"), "for many digits"),
    "gmpy2": (("fractions",), "or plain int: Python's integers are exact"),
    "unidecode": (("unicodedata",), "(normalize) for accents"),
    "chardet": (("pandas",), "with encoding='utf-8', then 'cp1252'"),
    "charset_normalizer": (("pandas",), "with encoding='utf-8', then 'cp1252'"),
    "fuzzywuzzy": (("difflib",), "for likeness of texts"),
    "rapidfuzz": (("difflib",), "for likeness of texts"),
    "regex": (("re",), "for regular expressions"),
    "reportlab": (("matplotlib",), "(backends.backend_pdf.PdfPages) for PDF pages"),
    "fpdf": (("matplotlib",), "(backends.backend_pdf.PdfPages) for PDF pages"),
    "Levenshtein": (("difflib",), "for likeness of texts"),
    "joblib": (("multiprocessing",), "or a plain loop"),
    "attr": (("dataclasses",), "for records"),
    "pydantic": (("dataclasses",), "for records"),
    "psutil": (("resource",), "for the job's own use of time and memory"),
    "tkinter": (("matplotlib",), "for pictures; there is no screen"),
    "pygame": (("matplotlib",), "for pictures; there is no screen"),
    "turtle": (("matplotlib",), "for drawings; there is no screen"),
    "PyQt5": (("matplotlib",), "for pictures; there is no screen"),
}

# modules whose whole purpose is the network or another service
NETWORK = frozenset(
    "requests httpx aiohttp urllib3 websocket websockets paramiko ftplib3 boto3 botocore google "
    "googleapiclient openai anthropic cohere mistralai groq ollama langchain llama_index "
    "huggingface_hub datasets kaggle yfinance pandas_datareader wbdata alpha_vantage quandl tweepy "
    "praw selenium playwright scrapy psycopg2 psycopg pymysql MySQLdb mysql pymongo redis "
    "sqlalchemy snowflake elasticsearch stripe twilio slack_sdk discord telegram flask django "
    "fastapi uvicorn streamlit gradio dash geopy wikipedia fredapi ccxt binance web3".split()
)

# documents that cannot be read or written at all
DOCUMENTS = frozenset("docx pptx tabula camelot".split())
