"""psycopg2: simple queries, with the parameters put into their text by the client."""
import datetime as dt
import io
import uuid

import psycopg2
import psycopg2.extensions as ext
import psycopg2.extras as extras

from shared import DATABASE, HOST, KINDS, PORT, USER, fails, part, rows, show, title


def connect(**kwargs):
    return psycopg2.connect(host=HOST, port=PORT, dbname=DATABASE, user=USER, **kwargs)


def connection():
    c = connect()
    title("connection")
    print("  ", c.encoding, c.server_version // 10000, c.status, c.get_transaction_status(), c.isolation_level, c.autocommit)
    for name in ("server_encoding", "client_encoding", "DateStyle", "IntervalStyle", "TimeZone", "integer_datetimes",
                 "standard_conforming_strings", "is_superuser", "session_authorization", "application_name"):
        print("  ", name, c.get_parameter_status(name))
    return c


def reads(c):
    cur = c.cursor()
    title("parameters")
    cur.execute("SELECT id, name, email, tags, profile, created FROM customers WHERE id = ANY(%s) OR name = %s ORDER BY id", ([1, 3], "bob"))
    print("  ", [(d.name, d.type_code, d.internal_size, d.precision, d.scale) for d in cur.description], cur.statusmessage)
    rows(cur)
    cur.execute("SELECT * FROM orders WHERE (customer, number) IN %s AND total > %s ORDER BY 1, 2", (((1, 1), (1, 4)), 12.0))
    rows(cur)
    cur.execute("SELECT %(a)s + %(b)s, %(a)s::text, %(c)s", {"a": 1, "b": 2, "c": "it's 100%"})
    rows(cur)
    title("dictionaries and tuples")
    with c.cursor(cursor_factory=extras.RealDictCursor) as d:
        d.execute("SELECT name, total FROM large_orders ORDER BY number")
        print("  ", [dict(r) for r in d])
    with c.cursor(cursor_factory=extras.NamedTupleCursor) as d:
        d.execute("SELECT name, total FROM large_orders ORDER BY number")
        print("  ", d.fetchall())
    c.rollback()


def types(c):
    title("types")
    extras.register_uuid()
    cur = c.cursor()
    for column in KINDS:
        cur.execute(f"SELECT {column}, {column}::text FROM kinds ORDER BY id")
        found = cur.fetchall() if column != "a_timestamp" and column != "a_timestamptz" and column != "a_date" else None
        if found is None:  # Python has no infinite times
            cur.execute(f"SELECT {column}, {column}::text FROM kinds WHERE id < 3 ORDER BY id")
            found = cur.fetchall()
        d = cur.description[0]
        print("  ", column, d.type_code, d.internal_size, d.precision, d.scale, [show(r[0]) for r in found], found[0][1])
    title("types, there and back")
    values = [
        True, -32768, 2**31, -(2**63), __import__("decimal").Decimal("-12.340"), 1.5, float("inf"), "it's \\ é\n", b"\x00\xff'\\",
        dt.date(2024, 2, 29), dt.time(1, 2, 3, 4), dt.datetime(1999, 12, 31, 23, 59, 59, 999999),
        dt.datetime(2024, 7, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2))), dt.timedelta(days=-1, seconds=1),
        uuid.UUID(int=1), extras.Json({"a": [1, None]}), [1, None, 3], ["a b", None, '"'], [[1, 2], [3, 4]], None,
    ]
    for v in values:
        cur.execute("SELECT %s, pg_typeof(%s)", (v, v))
        got = cur.fetchone()
        print("  ", show(got[0]), got[1])
    c.rollback()


def writes(c):
    title("writes")
    cur = c.cursor()
    cur.execute("INSERT INTO customers (name, profile) VALUES (%s, %s) RETURNING id, tags, created", ("dan", extras.Json({"a": 1})))
    print("  ", cur.fetchone(), cur.rowcount, cur.statusmessage)
    cur.executemany("INSERT INTO orders (customer, total) VALUES (%s, %s)", [(4, 1), (4, 2), (4, None)])
    print("  ", cur.rowcount)
    got = extras.execute_values(cur, "INSERT INTO orders (customer, total, note) VALUES %s RETURNING number, note",
                                [(4, i, f"n{i}") for i in range(5)], page_size=2, fetch=True)
    print("  ", got)
    extras.execute_batch(cur, "UPDATE orders SET total = total + %s WHERE number = %s", [(1, 5), (1, 6)])
    cur.execute("UPDATE orders SET note = NULL WHERE customer = %s", (4,))
    print("  ", cur.rowcount, cur.statusmessage)
    cur.execute("DELETE FROM orders WHERE customer = %s AND total > %s RETURNING number, total", (4, 2))
    rows(sorted(cur.fetchall()))
    c.commit()


def transactions(c):
    title("a transaction with an error and a rollback")
    cur = c.cursor()
    cur.execute("INSERT INTO without_key VALUES (1, 'lost')")
    print("  ", c.get_transaction_status() == ext.TRANSACTION_STATUS_INTRANS)
    fails(cur.execute, "INSERT INTO customers (name) VALUES (%s)", ("",))
    print("  ", c.get_transaction_status() == ext.TRANSACTION_STATUS_INERROR)
    fails(cur.execute, "SELECT 1")
    c.rollback()
    cur.execute("SELECT count(*) FROM without_key")
    print("  ", cur.fetchone())
    title("errors")
    for sql, args in (
        ("INSERT INTO customers (name, email) VALUES ('x', 'ann@example.org')", ()), ("INSERT INTO orders VALUES (NULL)", ()),
        ("SELECT 1/0", ()), ("SELECT * FROM nothing", ()), ("SELECT nothing FROM orders", ()), ("SELECT %s::int", ("x",)),
        ("SELEC 1", ()), ("INSERT INTO customers (name, email) VALUES ('x', %s)", ("y" * 61,)),
    ):
        try:
            cur.execute(sql, args)
        except psycopg2.Error as e:
            d = e.diag
            print("  ", type(e).__name__, e.pgcode, d.severity, d.message_primary, "|", d.message_detail, "|", d.message_hint, "|",
                  d.statement_position, d.schema_name, d.table_name, d.column_name, d.constraint_name)
        c.rollback()
    title("savepoints and with")
    with c:
        cur.execute("SAVEPOINT a")
        cur.execute("INSERT INTO without_key VALUES (2, 'two')")
        cur.execute("ROLLBACK TO SAVEPOINT a")
        cur.execute("INSERT INTO without_key VALUES (3, 'three')")
    cur.execute("SELECT * FROM without_key")
    rows(cur)
    c.rollback()
    c.set_session(isolation_level="SERIALIZABLE", readonly=True)
    fails(cur.execute, "INSERT INTO without_key VALUES (4)")
    c.rollback()
    c.set_session(isolation_level="DEFAULT", readonly=False)


def streams(c):
    title("a named cursor")
    with c.cursor("named", withhold=False) as cur:
        cur.itersize = 3
        cur.execute("SELECT n, n * n FROM generate_series(1, %s) n", (8,))
        rows(cur)
    with c.cursor("scrolls", scrollable=True) as cur:
        cur.execute("SELECT n FROM generate_series(1, 8) n")
        print("  ", cur.fetchmany(3))
        cur.scroll(-2)
        print("  ", cur.fetchone())
        cur.scroll(6, mode="absolute")
        print("  ", cur.fetchall())
    c.commit()


def copies(c):
    title("COPY")
    cur = c.cursor()
    cur.copy_expert("COPY without_key (a, b) FROM STDIN WITH (FORMAT csv, HEADER)", io.StringIO('a,b\n10,"x,y"\n11,\n'))
    cur.copy_from(io.StringIO("12\tz\n13\t\\N\n"), "without_key", columns=("a", "b"))
    out = io.StringIO()
    cur.copy_to(out, "without_key", columns=("a", "b"))
    print("  ", sorted(out.getvalue().splitlines()))
    out = io.StringIO()
    cur.copy_expert("COPY (SELECT * FROM without_key ORDER BY a) TO STDOUT CSV HEADER", out)
    print("  ", out.getvalue().splitlines())
    c.commit()
    print("  ", [n.strip() for n in c.notices])
    cur.execute("DROP TABLE IF EXISTS nothing")
    print("  ", [n.strip() for n in c.notices])
    c.commit()


def main():
    c = connection()
    for run in (reads, types, writes, transactions, streams, copies):
        part(run, c)
    c.close()
    title("autocommit and a failed connection")
    c = connect(application_name="second", options="-c statement_timeout=5000")
    c.autocommit = True
    cur = c.cursor()
    cur.execute("SHOW statement_timeout; SELECT 1 AS last")
    print("  ", cur.fetchall(), c.get_parameter_status("application_name"))
    fails(connect, options="-c nothing_known=1")


main()
