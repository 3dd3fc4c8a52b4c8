"""What the programs of this folder have in common: where the server is, and how they print."""
import os
import re

HOST, PORT, DATABASE, USER = (os.environ[v] for v in ("PGHOST", "PGPORT", "PGDATABASE", "PGUSER"))

KINDS = [
    "a_bool", "a_int2", "a_int4", "a_int8", "a_numeric", "a_numeric_10_2", "a_float4", "a_float8", "a_text", "a_varchar",
    "a_char", "a_bytea", "a_date", "a_time", "a_time_3", "a_timetz", "a_timestamp", "a_timestamptz", "a_interval",
    "a_uuid", "a_json", "a_jsonb", "a_point", "some_int4", "some_text",
]


def title(text):
    print(f"\n== {text}")


def part(run, c, *args):
    """Runs a part of a program. When it fails it says so, and the next part begins anew."""
    try:
        run(c, *args)
    except Exception as e:  # of any driver
        print("FAILED:", said(e))
    if hasattr(c, "rollback"):
        c.rollback()


def said(e):
    code = getattr(e, "pgcode", None) or getattr(e, "sqlstate", None) or ""
    return f"{type(e).__name__} {code} " + " ".join(str(e).split())


def show(value):
    """Prints a value so that two runs agree: the views of bytes by what is in them."""
    if isinstance(value, (memoryview, bytearray)):
        value = bytes(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {show(value[k])}" for k in sorted(value, key=str)) + "}"
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def rows(found):
    n = 0
    for n, row in enumerate(found, 1):
        print("  " + ", ".join(show(v) for v in row))
    print(f"  ({n} rows)")


def fails(run, *args, **kwargs):
    """Prints how a call failed."""
    try:
        run(*args, **kwargs)
    except Exception as e:  # of any driver
        print("  ", said(e))
    else:
        print("   did not fail")
