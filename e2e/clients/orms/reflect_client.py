"""SQLAlchemy: what its inspector and MetaData.reflect find of a schema with a bit of everything, and that made again of what they found."""
import sys
import warnings

import sqlalchemy as sa

from shared import DATABASE, HOST, PORT, USER, part, show, title

URL = f"postgresql+psycopg://{USER}@{HOST}:{PORT}/{DATABASE}"
SYSTEM = ("information_schema", "zproxy")


def found(of):
    """What was found, the same each time: lists of named things by their names, and types by how they are made."""
    if isinstance(of, list) and of and all(isinstance(o, dict) and "name" in o and "type" not in o for o in of):
        of = sorted(of, key=lambda o: str(o["name"]))
    if isinstance(of, dict):
        return {str(k): found(v) for k, v in of.items()}
    if isinstance(of, (list, tuple)):
        return [found(v) for v in of]
    return repr(of) if isinstance(of, sa.types.TypeEngine) else of


def inspected(engine):
    i = sa.inspect(engine)
    schemas = [s for s in i.get_schema_names() if s not in SYSTEM]
    title("names")
    print("  ", schemas, i.default_schema_name)
    for schema in schemas:
        for kind in ("table", "view", "materialized_view", "temp_table", "temp_view", "sequence", "foreign_table"):
            try:
                args = () if kind.startswith("temp") else (schema,)
                print("  ", schema, kind, sorted(getattr(i, f"get_{kind}_names")(*args)))
            except Exception as e:
                print("  ", schema, kind, type(e).__name__, " ".join(str(e).split())[:300])
        print("  ", schema, "enums", show(i.get_enums(schema)))
        print("  ", schema, "domains", show(i.get_domains(schema)))
        print("  ", schema, "order", sorted(str(t) for t, _ in i.get_sorted_table_and_fkc_names(schema)))
        for view in i.get_view_names(schema) + i.get_materialized_view_names(schema):
            print(i.get_view_definition(view, schema))
    for schema in schemas:
        title(f"of schema {schema}")
        for kind in ("columns", "pk_constraint", "foreign_keys", "indexes", "unique_constraints", "check_constraints", "table_comment", "table_options"):
            for key, of in sorted(getattr(i, "get_multi_" + kind)(schema, kind=sa.engine.reflection.ObjectKind.ANY).items(), key=str):
                rows = found(of)
                print("  ", kind, key[1], *(rows if isinstance(rows, list) else [rows]), sep="\n      ")
    return schemas


def reflected(engine, schemas):
    m = sa.MetaData()
    for schema in schemas:
        m.reflect(engine, schema=None if schema == "public" else schema, views=True)
    return m


def statement(t, engine):
    """The statement that makes a reflected table, in which texts are what SQLAlchemy has no type for."""
    for c in t.columns:
        if isinstance(c.type, sa.types.NullType):
            c.type = sa.Text()
    return str(sa.schema.CreateTable(t).compile(engine)).rstrip()


def statements(engine, m):
    title("MetaData.reflect")
    for t in m.sorted_tables:
        print(statement(t, engine))
        for x in sorted(t.indexes, key=lambda x: x.name):
            print("  ", str(sa.schema.CreateIndex(x).compile(engine)))
        for c in t.columns:
            if c.comment:
                print("  ", c.name, c.comment)


def made_again(engine):
    """Drops all and makes it again of what was reflected, which reflects as it did."""
    title("made again")
    with engine.begin() as c:  # what SQLAlchemy would not make, and what depends on the rest
        c.execute(sa.text('DROP SCHEMA "Other Schema" CASCADE'))
        c.execute(sa.text("DROP TABLE measured"))
        c.execute(sa.text("DROP VIEW grown"))
        c.execute(sa.text("DROP MATERIALIZED VIEW counted"))
        c.execute(sa.text("ALTER TABLE kinds DROP a_moods, DROP some_addresses, DROP an_address, DROP a_span, DROP a_small, DROP a_serial"))
        c.execute(sa.text("DROP DOMAIN moods"))
    m, n = sa.MetaData(), sa.MetaData()
    m.reflect(engine)
    before = [statement(t, engine) for t in m.sorted_tables]
    m.drop_all(engine)
    print("  ", sa.inspect(engine).get_table_names(), sa.inspect(engine).get_enums())
    m.create_all(engine)
    n.reflect(engine)
    after = [statement(t, engine) for t in n.sorted_tables]
    print("  ", len(before), before == after)
    for a, b in zip(before, after):
        if a != b:
            print(a, b)


def main():
    warnings.simplefilter("ignore")
    engine = sa.create_engine(URL)
    if len(sys.argv) == 1:
        with engine.begin() as c:
            c.connection.cursor().execute(open("orms/reflect.sql").read())
    for step in (lambda _: statements(engine, reflected(engine, inspected(engine))), lambda _: len(sys.argv) > 1 or made_again(engine)):
        part(step, None)
    engine.dispose()


main()
