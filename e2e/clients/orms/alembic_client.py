"""Alembic with SQLAlchemy: migrations that it makes of models, runs, takes back and finds to be all of the models; and the ORM."""
import contextlib
import datetime as dt
import decimal
import enum
import io
import os
import re
import sys
import tempfile
import uuid

import alembic.command
import alembic.config
import alembic.util
import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.dialects import postgresql as pg

from shared import DATABASE, HOST, PORT, USER, part, rows, said, show, title

URL = f"postgresql+psycopg://{USER}@{HOST}:{PORT}/{DATABASE}"


class State(enum.Enum):
    open = "open"
    paid = "paid"
    gone = "gone"


def first_models():
    base = orm.declarative_base()

    class User(base):
        __tablename__ = "users"
        id = sa.Column(sa.Integer, primary_key=True)
        name = sa.Column(sa.String(50), nullable=False, index=True)
        email = sa.Column(sa.Text, unique=True)

    class Order(base):
        __tablename__ = "orders"
        id = sa.Column(sa.BigInteger, sa.Identity(), primary_key=True)
        user_id = sa.Column(sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False)
        total = sa.Column(sa.Numeric(10, 2), server_default="0")
        note = sa.Column(sa.String(20))
        state = sa.Column(sa.Enum(State, name="state"), server_default="open", nullable=False)
        at = sa.Column(sa.DateTime(timezone=True), server_default=sa.func.now())

    return base


def second_models():
    """The models of the second migration are those that the program uses."""
    base = orm.declarative_base(metadata=sa.MetaData(naming_convention={
        "ix": "ix_%(column_0_label)s", "uq": "%(table_name)s_%(column_0_name)s_key", "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "%(table_name)s_%(column_0_name)s_fkey", "pk": "%(table_name)s_pkey"}))

    class User(base):
        __tablename__ = "users"
        id = sa.Column(sa.Integer, primary_key=True)
        name = sa.Column(sa.String(80), nullable=False, index=True, comment="as on the bill")
        email = sa.Column(sa.String(120), unique=True, nullable=False, server_default="none")
        active = sa.Column(sa.Boolean, server_default=sa.true(), nullable=False)
        profile = sa.Column(pg.JSONB, server_default="{}", nullable=False)
        roles = sa.Column(pg.ARRAY(sa.Text), server_default="{}", nullable=False)
        token = sa.Column(sa.Uuid, server_default=sa.text("gen_random_uuid()"))
        orders = orm.relationship("Order", back_populates="user", order_by="Order.id", cascade="all, delete-orphan")
        groups = orm.relationship("Group", secondary="memberships", back_populates="users")
        __table_args__ = (sa.Index("users_lower_email", sa.text("lower(email)"), unique=True), sa.Index("users_active", "name", postgresql_where=sa.text("active")),
                          {"comment": "who buys"})

    class Order(base):
        __tablename__ = "orders"
        id = sa.Column(sa.BigInteger, sa.Identity(), primary_key=True)
        user_id = sa.Column(sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False)
        total = sa.Column(sa.Numeric(10, 2), server_default="0")
        note = sa.Column(sa.Text)
        twice = sa.Column(sa.Numeric, sa.Computed("total * 2", persisted=True))
        state = sa.Column(sa.Enum(State, name="state"), server_default="open", nullable=False)
        at = sa.Column(sa.DateTime(timezone=True), server_default=sa.func.now())
        days = sa.Column(pg.DATERANGE)
        user = orm.relationship("User", back_populates="orders")
        __table_args__ = (sa.CheckConstraint("total >= 0", name="total"), sa.UniqueConstraint("user_id", "at"),
                          sa.Index("orders_at", sa.desc("at"), postgresql_include=["total"]), sa.Index("orders_state", "state", postgresql_using="hash"))

    class Group(base):
        __tablename__ = "groups"
        id = sa.Column(sa.Integer, primary_key=True)
        parent_id = sa.Column(sa.ForeignKey("groups.id", deferrable=True, initially="DEFERRED"))
        name = sa.Column(sa.Text, nullable=False)
        weight = sa.Column(pg.DOMAIN("weight", sa.Numeric(5, 2), check="VALUE >= 0", constraint_name="weight_positive"), server_default="1.5")
        code = sa.Column(sa.CHAR(4, collation="C"), comment="as on the door")
        lasts = sa.Column(pg.INTERVAL(fields="DAY TO SECOND", precision=2), server_default=sa.text("'1 day'"))
        kind = sa.Column(sa.String)
        users = orm.relationship("User", secondary="memberships", back_populates="groups")
        parent = orm.relationship("Group", remote_side=[id])
        __table_args__ = (sa.UniqueConstraint("name", "code", name="groups_name_code", postgresql_include=["kind"], postgresql_nulls_not_distinct=True),
                          sa.Index("groups_upper", sa.text("upper(name) text_pattern_ops"), sa.text("code DESC NULLS LAST"), postgresql_where=sa.text("weight > 1")))
        __mapper_args__ = {"polymorphic_on": "kind", "polymorphic_identity": "group"}

    class Team(Group):
        __tablename__ = "teams"
        id = sa.Column(sa.ForeignKey("groups.id"), primary_key=True)
        size = sa.Column(sa.SmallInteger)
        __mapper_args__ = {"polymorphic_identity": "team"}

    sa.Table("memberships", base.metadata, sa.Column("user_id", sa.ForeignKey("users.id"), primary_key=True),
             sa.Column("group_id", sa.ForeignKey("groups.id"), primary_key=True), sa.Column("since", sa.Date, server_default=sa.text("CURRENT_DATE")))
    sa.Table("events", base.metadata, sa.Column("id", sa.BigInteger, sa.Identity(start=100), primary_key=True),
             sa.Column("body", sa.JSON), schema="audit")
    return base, (User, Order, Group, Team)  # which the base alone would not keep


ENV = """from alembic import context
attributes = context.config.attributes
with attributes["engine"].connect() as connection:
    context.configure(connection=connection, target_metadata=attributes["metadata"], compare_server_default=True, include_schemas=True, transaction_per_migration=True)
    with context.begin_transaction():
        context.run_migrations()
"""


class Project:
    """A folder of migrations."""

    def __init__(self, engine):
        self.folder = tempfile.mkdtemp()
        self.config = alembic.config.Config(os.path.join(self.folder, "alembic.ini"))
        self.config.set_main_option("script_location", os.path.join(self.folder, "migrations"))
        with contextlib.redirect_stdout(io.StringIO()):
            alembic.command.init(self.config, os.path.join(self.folder, "migrations"), template="generic")
        with open(os.path.join(self.folder, "migrations", "env.py"), "w") as f:
            f.write(ENV)
        self.config.attributes["engine"] = engine

    def run(self, command, *args, **options):
        out = io.StringIO()
        self.config.stdout = out
        try:
            with contextlib.redirect_stdout(out):
                getattr(alembic.command, command)(self.config, *args, **options)
        except Exception as e:
            out.write("FAILED: " + said(e) + "\n")
        print(f"   {command}:", *(l.replace(self.folder, "") for l in out.getvalue().splitlines() if "enerating" not in l), sep="\n     ")

    def revise(self, base, number):
        """Makes a migration of what is missing and prints it."""
        self.config.attributes["metadata"] = base.metadata
        self.run("revision", f"number {number}", autogenerate=True, rev_id=str(number))
        name = os.path.join(self.folder, "migrations", "versions", f"{number}_number_{number}.py")
        text = open(name).read()
        text = text.replace("def upgrade() -> None:", "def upgrade() -> None:\n    op.execute('CREATE SCHEMA IF NOT EXISTS audit')", 1)
        text = text.rstrip() + "\n    op.execute('DROP DOMAIN IF EXISTS weight')\n"  # which Alembic leaves
        print(re.sub(r"Create Date.*", "", text))
        open(name, "w").write(text)


def migrate(engine, project):
    title("the first migration")
    project.revise(first_models(), 1)
    project.run("upgrade", "head")
    project.run("check")
    with engine.begin() as c:
        c.execute(sa.text("INSERT INTO users (name, email) VALUES ('ann', 'ann@example.org'), ('bob', 'bob@example.org')"))
        c.execute(sa.text("INSERT INTO orders (user_id, total, state, at) SELECT 1, n, 'paid', timestamptz '2026-01-01' + n * interval '1 day' FROM generate_series(1, 3) n"))


def again(engine, project, models):
    title("the second migration")
    project.revise(models[0], 2)
    project.run("upgrade", "head")
    project.run("check")
    project.run("current", verbose=False)
    project.run("downgrade", "-1")
    project.run("upgrade", "2")
    project.run("downgrade", "2:1", sql=True)
    project.run("history")
    project.run("check")


def use_orm(engine, project, models):
    title("the ORM")
    base, (User, Order, Group, Team) = models
    with orm.Session(engine) as s:
        eve = User(name="eve", email="eve@example.org", profile={"lang": "de", "n": [1, {"a": None}]}, roles=["admin", "x y"], token=uuid.UUID(int=5))
        eve.orders = [Order(total=decimal.Decimal(n), state=State.open, at=dt.datetime(2026, 3, n, tzinfo=dt.timezone.utc),
                            days=pg.Range(dt.date(2026, 3, n), dt.date(2026, 4, 1))) for n in (1, 2, 3)]
        staff = Group(name="staff")
        eve.groups = [staff, Team(name="core", size=3, parent=staff)]
        s.add(eve)
        s.commit()
        print("  ", eve.id, [(o.total, o.twice, o.state, o.days) for o in eve.orders], [(type(g).__name__, g.name) for g in eve.groups])
        eve.orders.pop()
        eve.orders[0].state = State.gone
        eve.profile = {**eve.profile, "new": True}
        s.commit()
        for u in s.scalars(sa.select(User).options(orm.selectinload(User.orders), orm.joinedload(User.groups)).order_by(User.id)).unique():
            print("  ", u.name, u.email, u.active, u.roles, u.profile, [(o.total, o.state.name) for o in u.orders], sorted(g.name for g in u.groups))
        rows(s.execute(sa.select(User.name, sa.func.count(Order.id), sa.func.sum(Order.total).filter(Order.state == State.paid)).outerjoin(Order).group_by(User.name).order_by(User.name)))
        rows(s.execute(sa.select(Order.id, sa.func.row_number().over(partition_by=Order.user_id, order_by=Order.total.desc())).order_by(Order.id).limit(3).offset(1)))
        rows(s.execute(sa.select(User.name, User.profile["n"][0].as_integer(), User.profile["n"]).where(User.profile["lang"].as_string() == "de", User.profile.contains({"new": True}), sa.literal("admin") == sa.any_(User.roles))))
        rows(s.execute(sa.select(User.name).where(User.profile.has_key("lang"), User.roles.contains(["x y"]), User.roles.overlap(["admin"]))))
        rows(s.execute(sa.select(Order.id).where(Order.days.contains(dt.date(2026, 3, 2)), Order.days.overlaps(pg.Range(dt.date(2026, 3, 1), dt.date(2026, 3, 9)))).order_by(Order.id)))
        tree = sa.select(Group.id, Group.name, sa.literal(0).label("depth")).where(Group.parent_id.is_(None)).cte(recursive=True)
        tree = tree.union_all(sa.select(Group.id, Group.name, tree.c.depth + 1).join(tree, Group.parent_id == tree.c.id))
        rows(s.execute(sa.select(tree).order_by(tree.c.depth)))
        late = sa.select(Order).where(Order.user_id == User.id).order_by(Order.total.desc()).limit(1).lateral()
        rows(s.execute(sa.select(User.name, late.c.total).join(late, sa.true()).order_by(User.name)))
        print("  ", [(type(g).__name__, g.size if isinstance(g, Team) else None) for g in s.scalars(sa.select(sa.orm.with_polymorphic(Group, [Team])).order_by(sa.text("1")))])
        rows(s.execute(sa.select(User.id).where(User.name == "eve").with_for_update(of=User, skip_locked=True)))
        with s.begin_nested() as inner:
            s.add(User(name="lost", email="lost"))
            s.flush()
            inner.rollback()
        for bad in (User(name="x", email="EVE@example.org"), User(email="y", token=uuid.UUID(int=6)), Order(user_id=99999), Order(user_id=eve.id, total=-1, at=dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc))):
            s.add(bad)
            try:
                s.commit()
            except sa.exc.SQLAlchemyError as e:
                print("  ", type(e).__name__, e.orig.sqlstate, e.orig.diag.message_primary, e.orig.diag.message_detail, e.orig.diag.constraint_name)
                s.rollback()
        s.delete(s.get(Team, 2))
        s.delete(eve)
        s.commit()
        print("  ", s.scalar(sa.select(sa.func.count()).select_from(Order)), s.scalar(sa.select(sa.func.count()).select_from(Group)))


def bulk(engine, project, models):
    title("many rows")
    base, (User, Order, *_) = models
    with orm.Session(engine) as s:
        made = s.scalars(sa.insert(User).returning(User, sort_by_parameter_order=True), [{"name": f"u{n}", "email": f"u{n}@x"} for n in range(2500)]).all()
        print("  ", len(made), made[2000].name)
        s.execute(sa.update(User), [{"id": u.id, "active": False, "name": u.name.upper()} for u in made[:10]])
        print("  ", s.execute(sa.update(User).where(User.name.like("U%")).values(roles=["bulk"]).returning(User.name)).all()[:3])
        up = pg.insert(User).values([{"name": "again", "email": f"u{n}@x"} for n in range(3)])
        rows(s.execute(up.on_conflict_do_update(index_elements=["email"], set_={"name": up.excluded.name + User.name}, where=User.active.is_(False)).returning(User.name)))
        print("  ", s.execute(pg.insert(User).values(name="x", email="u1@x").on_conflict_do_nothing()).rowcount, s.execute(sa.delete(User).where(User.email.like("u%@x"))).rowcount)
        s.execute(sa.text("SET CONSTRAINTS ALL IMMEDIATE"))
        s.commit()
        event = base.metadata.tables["audit.events"]
        print("  ", s.execute(event.insert().returning(event.c.id), [{"body": {"n": n}} for n in range(2)]).all())
        s.commit()
    with engine.connect() as c:
        print("  ", [len(p) for p in c.execution_options(yield_per=2).execute(sa.select(sa.func.generate_series(1, 5))).partitions()])


def inspected(engine, project, models):
    title("what the inspector finds")
    i = sa.inspect(engine)
    for kind in ("columns", "indexes", "foreign_keys", "unique_constraints", "check_constraints", "pk_constraint", "table_comment"):
        for key, found in sorted(getattr(i, "get_multi_" + kind)().items(), key=str):
            found = sorted(found, key=lambda f: f["name"]) if isinstance(found, list) and kind != "columns" else found
            print("  ", kind, key[1], show(found))
    print("  ", i.get_enums(), sorted(i.get_sequence_names()), i.get_schema_names())


def gone(engine, project, models):
    title("all taken back")
    base = models[0]
    project.run("downgrade", "base")
    base.metadata.create_all(engine)
    base.metadata.create_all(engine)
    project.run("stamp", "head")
    project.run("check")
    base.metadata.drop_all(engine)
    print("  ", sa.inspect(engine).get_table_names(), sa.inspect(engine).get_enums())


def main():
    engine = sa.create_engine(URL)
    project, models = Project(engine), second_models()
    part(lambda _: migrate(engine, project), None)
    for step in (again, use_orm, bulk, inspected, gone):
        part(lambda _: step(engine, project, models), None)
    engine.dispose()


main()
