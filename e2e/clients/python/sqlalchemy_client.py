"""SQLAlchemy 1.4 over psycopg2: reflection of the schema, the ORM, Core."""
import datetime as dt
import decimal
import uuid
import warnings

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.dialects import postgresql as pg

from shared import DATABASE, HOST, PORT, USER, fails, part, rows, show, title


def inspect(engine):
    i = sa.inspect(engine)
    title("inspector")
    print("  ", i.default_schema_name, i.get_schema_names(), i.dialect.server_version_info[0])
    for schema in (None, "archive"):
        print("  ", schema, sorted(i.get_table_names(schema)), i.get_view_names(schema), sorted(i.get_sequence_names(schema)))
        for table in sorted(i.get_table_names(schema)) + i.get_view_names(schema):
            part(describe, i, table, schema)
    for view in i.get_view_names():
        print("  ", view, i.get_view_definition(view))
    print("  ", i.get_enums(), i.get_foreign_table_names(), len(i.get_sorted_table_and_fkc_names()))
    for table in ("customers", "nothing"):
        print("  ", table, i.has_table(table), engine.dialect.has_sequence(engine.connect(), table + "_id_seq"), engine.dialect.has_schema(engine.connect(), table))
    fails(i.get_columns, "nothing")


def describe(i, table, schema):
    title(f"table {schema}.{table}")
    for c in i.get_columns(table, schema):
        print("  ", c["name"], repr(c["type"]), c["nullable"], c["default"], c["autoincrement"], c.get("comment"), c.get("identity"))
    print("   primary key", i.get_pk_constraint(table, schema))
    print("   foreign keys", i.get_foreign_keys(table, schema))
    for x in sorted(i.get_indexes(table, schema), key=lambda x: x["name"]):
        print("   index", show(x))
    for x in sorted(i.get_unique_constraints(table, schema), key=lambda x: x["name"]):
        print("   unique", show(x))
    for x in sorted(i.get_check_constraints(table, schema), key=lambda x: x["name"]):
        print("   check", show(x))
    print("   comment", i.get_table_comment(table, schema), i.get_table_options(table, schema))


def reflect(engine):
    title("MetaData.reflect")
    for schema in (None, "archive"):
        found = sa.MetaData()
        found.reflect(engine, schema=schema, views=True)
        for t in sorted(found.tables.values(), key=str):
            print("  ", t, [(c.name, str(c.type), c.primary_key, c.nullable) for c in t.columns],
                  sorted((x.name, x.unique, [str(e) for e in x.expressions]) for x in t.indexes))
    title("the text of a reflected table")
    t = sa.Table("customers", sa.MetaData(), autoload_with=engine)
    print(str(sa.schema.CreateTable(t).compile(engine)).strip())


Base = orm.declarative_base()


class Team(Base):
    __tablename__ = "teams"
    id = sa.Column(sa.Integer, primary_key=True)
    name = sa.Column(sa.String(40), nullable=False, unique=True)
    members = sa.Column(pg.ARRAY(sa.Text), nullable=False, server_default="{}")
    extra = sa.Column(pg.JSONB)
    token = sa.Column(pg.UUID(as_uuid=True))
    joined = sa.Column(sa.DateTime(timezone=True))
    budget = sa.Column(sa.Numeric(12, 2))
    lasts = sa.Column(sa.Interval)
    games = orm.relationship("Game", primaryjoin="Team.id == foreign(Game.team)", order_by="Game.id", back_populates="side")
    __table_args__ = (sa.CheckConstraint("budget >= 0", name="budget_not_negative"), sa.Index("teams_joined", sa.desc("joined"), "name"))


class Game(Base):
    __tablename__ = "games"
    id = sa.Column(sa.BigInteger, sa.Identity(start=100), primary_key=True)
    team = sa.Column(sa.Integer, nullable=False, index=True)
    score = sa.Column(sa.SmallInteger)
    side = orm.relationship("Team", primaryjoin="Team.id == foreign(Game.team)", back_populates="games")


def use_orm(engine):
    title("the ORM")
    Base.metadata.create_all(engine)
    Base.metadata.create_all(engine)  # finds them there
    with orm.Session(engine) as s:
        red = Team(name="red", members=["ann", "bob"], extra={"a": [1, None]}, token=uuid.UUID(int=7), joined=dt.datetime(2026, 3, 1, tzinfo=dt.timezone.utc),
                   budget=decimal.Decimal("12.50"), lasts=dt.timedelta(hours=1))
        red.games = [Game(score=n) for n in range(3)]
        s.add_all([red, Team(name="blue"), Team(name="green", budget=1)])
        s.commit()
        print("  ", red.id, [(g.id, g.score) for g in red.games])
        red.extra = {"b": 2}
        red.games[0].score = 9
        s.delete(red.games[2])
        s.commit()
        found = s.execute(sa.select(Team.name, sa.func.count(Game.id), sa.func.sum(Game.score)).join(Game, Game.team == Team.id, isouter=True).group_by(Team.name).order_by(Team.name))
        rows(found.all())
        for t in s.query(Team).options(orm.selectinload(Team.games)).order_by(Team.id):
            print("  ", t.id, t.name, t.members, t.extra, t.token, t.joined, t.budget, t.lasts, [g.score for g in t.games])
        print("  ", s.query(Team).options(orm.joinedload(Team.games)).filter(Team.members.any("bob")).one().name, s.query(Game).filter(Game.score.in_([1, 9])).count())
        rows(s.query(Team.name).filter(Team.extra["b"].as_integer() == 2).with_for_update())
        s.add(Team(name="red"))
        try:
            s.commit()
        except sa.exc.IntegrityError as e:
            print("  ", type(e).__name__, e.orig.pgcode, " ".join(str(e.orig).split()))
            s.rollback()
        with s.begin_nested() as inner:
            s.add(Team(name="lost"))
            s.flush()
            inner.rollback()
        print("  ", s.query(Team).filter(Team.name == "lost").all())
    Base.metadata.drop_all(engine)


def use_core(engine):
    title("Core")
    t = sa.Table("without_key", sa.MetaData(), autoload_with=engine)
    with engine.begin() as c:
        c.execute(t.insert(), [{"a": n, "b": f"n{n}"} for n in range(5)])
        print("  ", c.execute(t.update().where(t.c.a > 2).values(b=sa.func.upper(t.c.b)).returning(t.c.a, t.c.b)).rowcount)
        print("  ", c.execute(t.delete().where(t.c.a == sa.bindparam("a")), {"a": 0}).rowcount)
        streamed = c.execution_options(stream_results=True, max_row_buffer=2).execute(sa.select(t).order_by(t.c.a))
        for part in streamed.partitions(3):
            print("  ", part)
    with engine.connect() as c:
        print("  ", c.execute(sa.select(sa.func.count()).select_from(t)).scalar())
    o = sa.Table("orders", sa.MetaData(), autoload_with=engine)
    upsert = pg.insert(o).values(customer=1, number=1, total=99)
    upsert = upsert.on_conflict_do_update(index_elements=[o.c.customer, o.c.number], set_={"total": upsert.excluded.total}).returning(o.c.total)
    with engine.begin() as c:
        print("  ", c.execute(upsert).all())
        rank = sa.func.rank().over(partition_by=o.c.customer, order_by=o.c.total.desc()).label("rank")
        rows(c.execute(sa.select(o.c.customer, o.c.number, rank).order_by(o.c.customer, "rank")))
        rows(c.execute(sa.text("SELECT CAST(:a AS int) + 1, CAST(:b AS text)"), {"a": 1, "b": "x"}))
    for level in ("SERIALIZABLE", "REPEATABLE READ", "AUTOCOMMIT"):
        with engine.connect().execution_options(isolation_level=level) as c:
            print("  ", level, c.get_isolation_level(), c.execute(sa.text("SHOW transaction_isolation")).scalar())


def main():
    warnings.simplefilter("ignore", sa.exc.SAWarning)  # of the type point, with the place in this file
    engine = sa.create_engine(f"postgresql+psycopg2://{USER}@{HOST}:{PORT}/{DATABASE}", pool_pre_ping=True)
    for run in (inspect, reflect, use_orm, use_core):
        part(run, engine)
    engine.dispose()


main()
