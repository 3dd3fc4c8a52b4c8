"""psqlODBC by way of pyodbc: the catalog functions of ODBC, parameters, transactions, with and without server-side cursors."""
import datetime as dt
import decimal

import pyodbc

from shared import DATABASE, HOST, KINDS, PORT, USER, fails, part, rows, show, title


def connect(**options):
    text = f"DRIVER={{PostgreSQL Unicode}};SERVER={HOST};PORT={PORT};DATABASE={DATABASE};UID={USER};PWD=none;SSLMODE=disable;"
    return pyodbc.connect(text + "".join(f"{k}={v};" for k, v in options.items()))


def unstable(found, columns):
    """The rows without the columns whose values are numbers that a server makes up."""
    return [[v for i, v in enumerate(row) if i not in columns] for row in found]


def info(c):
    title("connection")
    for name in ("SQL_DBMS_NAME", "SQL_DBMS_VER", "SQL_DATABASE_NAME", "SQL_USER_NAME", "SQL_IDENTIFIER_QUOTE_CHAR", "SQL_MAX_IDENTIFIER_LEN",
                 "SQL_TXN_CAPABLE", "SQL_DEFAULT_TXN_ISOLATION", "SQL_CATALOG_NAME_SEPARATOR", "SQL_SCHEMA_TERM"):
        value = c.getinfo(getattr(pyodbc, name))
        print("  ", name, str(value).split(".")[0])


def catalogs(c):
    cur = c.cursor()
    title("SQLTables")
    rows(cur.tables(schema="public"))
    rows(cur.tables(table="orders"))
    rows(cur.tables(schema="archive", tableType="TABLE"))
    rows(cur.tables(schema="public", tableType="VIEW"))
    rows(cur.tables(schema="%", table="", catalog=""))
    rows(cur.tables(catalog="%", schema="", table=""))
    title("SQLColumns")
    for table in ("customers", "orders", "kinds", "Odd Names", "without_key", "large_orders"):
        rows(unstable(cur.columns(table=table, schema="public"), {22}))
    rows(unstable(cur.columns(table="orders", schema="%"), {22}))
    for call in (cur.primaryKeys, cur.foreignKeys, cur.rowIdColumns, cur.rowVerColumns):
        title(call.__name__)
        for table in ("customers", "orders", "Odd Names", "without_key"):
            rows(call(table=table, schema="public"))
    title("SQLStatistics")
    for table in ("customers", "orders", "Odd Names", "without_key"):
        rows(unstable(cur.statistics(table=table, schema="public"), {10, 11}))
        rows(unstable(cur.statistics(table=table, schema="public", unique=True), {10, 11}))
    title("SQLGetTypeInfo")
    rows(cur.getTypeInfo())
    title("SQLProcedures")
    rows(cur.procedures(schema="public"))
    rows(cur.procedures(procedure="abs", schema="pg_catalog"))
    c.rollback()


def reads(c):
    cur = c.cursor()
    title("parameters")
    cur.execute("SELECT id, name, email, created FROM customers WHERE id = ? OR name = ? ORDER BY id", 1, "bob")
    print("  ", [d[:1] + (d[1].__name__,) + d[2:] for d in cur.description])
    rows(cur)
    cur.execute("SELECT * FROM orders WHERE total > ? AND placed >= ? ORDER BY total", decimal.Decimal("12.0"), dt.datetime(2026, 3, 1, 12))
    rows(cur)
    cur.execute("SELECT ? || 'x', CAST(? AS int) + 1, CAST(? AS text)", "it's", 1, None)
    rows(cur)
    title("types")
    for column in KINDS:
        cur.execute(f"SELECT {column} FROM kinds WHERE id < 3 ORDER BY id")
        d = cur.description[0]
        print("  ", column, d[1].__name__, d[3:], [show(r[0]) for r in cur.fetchall()])
    title("types, there and back")
    c.rollback()
    table = "CREATE TABLE back (id int PRIMARY KEY, b boolean, i int8, n numeric(12,4), f float8, t text, y bytea, d date, m time, s timestamp, u uuid)"
    cur.execute(table)
    values = [True, -(2**63), decimal.Decimal("-12.3400"), 1e300, "it's \\ é\n", b"\x00\xff'\\", dt.date(2024, 2, 29), dt.time(1, 2, 3),
              dt.datetime(1999, 12, 31, 23, 59, 59, 999000), "a0000000-0000-0000-0000-000000000001"]
    cur.execute("INSERT INTO back VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
    cur.execute("INSERT INTO back (id, t) VALUES (2, ?)", None)
    cur.execute("SELECT * FROM back ORDER BY id")
    rows(cur)
    c.rollback()


def writes(c):
    cur = c.cursor()
    title("writes")
    cur.execute("INSERT INTO customers (name) VALUES (?) RETURNING id, tags", "dan")
    rows(cur)
    cur.executemany("INSERT INTO without_key VALUES (?, ?)", [(n, f"n{n}") for n in range(5)])
    cur.fast_executemany = True
    cur.executemany("INSERT INTO without_key VALUES (?, ?)", [(n, f"n{n}") for n in range(5, 8)])
    print("  ", cur.execute("UPDATE without_key SET b = upper(b) WHERE a > ?", 2).rowcount)
    print("  ", cur.execute("DELETE FROM without_key WHERE a = ?", 0).rowcount)
    rows(cur.execute("SELECT * FROM without_key ORDER BY a"))
    c.commit()
    title("a transaction with an error and a rollback")
    cur.execute("INSERT INTO without_key VALUES (100, 'lost')")
    fails(cur.execute, "INSERT INTO customers (name) VALUES (?)", "")
    print("  ", cur.execute("SELECT count(*) FROM without_key WHERE a = 100").fetchone())
    c.rollback()
    print("  ", cur.execute("SELECT count(*) FROM without_key WHERE a = 100").fetchone())
    for statement in ("SELECT 1/0", "SELECT * FROM nothing", "SELEC 1", "INSERT INTO customers (name, email) VALUES ('x', 'ann@example.org')"):
        fails(cur.execute, statement)
    c.rollback()


def streams(c):
    cur = c.cursor()
    title("many rows")
    cur.execute("SELECT n, n * n FROM generate_series(1, 250) n")
    print("  ", cur.fetchmany(2), cur.fetchone(), len(cur.fetchall()))
    cur.execute("SELECT 1 AS a; SELECT 2 AS b, 3 AS c")
    print("  ", cur.fetchall(), cur.nextset(), cur.fetchall(), cur.nextset())
    c.commit()


def main():
    c = connect()
    for run in (info, catalogs, reads, writes, streams):
        part(run, c)
    c.close()
    title("with cursors on the server, and prepared on the server or not")
    for options in ({"UseDeclareFetch": 1, "Fetch": 10}, {"UseServerSidePrepare": 0}, {"Protocol": "7.4-0"}, {"Protocol": "7.4-1"}, {"UpdatableCursors": 1}):
        title(str(options))
        c = connect(**options)
        part(streams, c)
        cur = c.cursor()
        rows(cur.execute("SELECT * FROM orders WHERE customer = ? ORDER BY number", 1))
        fails(cur.execute, "SELECT 1/0")
        c.rollback()
        c.autocommit = True
        print("  ", cur.execute("UPDATE without_key SET b = ? WHERE a = ?", "u", 1).rowcount)
        c.close()


main()
