package host_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/ddl/index"
	"zproxy/catalog/names"
	"zproxy/catalog/syscat"
	"zproxy/cluster"
	"zproxy/cluster/build"
	"zproxy/cluster/expiry"
	"zproxy/cluster/lock"
	"zproxy/expr"
	"zproxy/internal/nodetest"
	"zproxy/internal/plantest"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/parser"
	"zproxy/planner"
	"zproxy/session/host"
	"zproxy/session/statement"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// The roles: ann owns everything, joe has some rights.
const ann, joe = 100, 101

// owner implements cluster.Owner.
type owner struct{ locks *lock.Owner }

func (o owner) Locks() *lock.Owner               { return o.locks }
func (owner) Wait(ctx context.Context) lock.Wait { return lock.Wait{Ctx: ctx} }
func (owner) Mode(write bool) store.Mode         { return store.Mode{ReadOnly: !write} }
func (owner) Order() cluster.Order               { return cluster.Unordered }
func (owner) Charge(txn store.Txn) store.Txn     { return txn }
func (owner) Now() time.Time                     { return time.Now() }

// client is a session of which tests say who it is and where it looks for names.
type client struct {
	host.Session
	role      uint32
	path      []string
	temporary string
	readOnly  bool // the transaction only reads
	inBlock   bool
}

// NotIn and the others implement index.Block.
func (c *client) NotIn(statement string) error {
	if c.inBlock {
		return sqlerr.New(sqlerr.ActiveSQLTransaction, "%s in a block", statement)
	}
	return nil
}

func (c *client) RefuseReadOnly(statement string) error {
	if c.readOnly {
		return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "%s in a transaction that reads", statement)
	}
	return nil
}

func (c *client) Retry(change func() error) error { return change() }
func (c *client) Commit(context.Context) error    { return nil }
func (c *client) StepAside() error                { return nil }
func (c *client) Strong(context.Context, *catalog.Table) (store.Txn, error) {
	return nil, errors.New("not asked for")
}

// newClient is a session on a process.
func newClient(w *nodetest.World, role uint32) *client {
	c := &client{role: role, path: []string{"public"}, temporary: "pg_temp_1"}
	env := &types.Env{}
	txn := cluster.NewTransaction(w.Node, owner{w.Node.Locks.NewOwner(1)})
	removal := &expiry.Remover{Node: w.Node, Tables: w.Tables, Now: time.Now}
	c.Session = host.Session{
		Node: w.Node, Txn: &txn, Builds: build.New(w.Node, w.Tables, time.Now), Block: c, Temporary: &c.temporary, Env: env,
		Role: func() uint32 { return c.role },
		View: func() *names.View {
			return &names.View{Catalog: txn.Schema(), System: syscat.All(), Path: c.path, As: c.role, Env: env}
		},
		Statement: func() *statement.Context {
			return &statement.Context{Node: w.Node, Txn: &txn, Env: env, Identity: statement.Identity{Role: c.role},
				Planner: func(snap *catalog.Snapshot) *planner.Planner {
					return (&plantest.Schema{Catalog: snap}).Planner()
				}}
		},
		Indexes: func() *index.Definer { return &index.Definer{Expiry: removal} },
		Optimizer: func() *optimizer.Options {
			return &optimizer.Options{Env: env, Store: access.StoreOf(w.Store.Capabilities())}
		},
		Parse:  parser.Parse,
		Values: func(context.Context) *expr.Context { return &expr.Context{Env: env} },
	}
	return c
}

func (c *client) call(t *testing.T) *host.Call {
	return &host.Call{Session: &c.Session, Ctx: t.Context()}
}

// mine are the rights of what ann may do everything with, and joe some things.
func mine(joes catalog.Privileges) catalog.Rights {
	acl := catalog.ACL{{Grantee: ann, Grantor: ann, Privileges: catalog.MayUse | catalog.MaySelect | catalog.MayUpdate}}
	if joes != 0 {
		acl = append(acl, catalog.Grant{Grantee: joe, Grantor: ann, Privileges: joes})
	}
	return catalog.Rights{Owner: ann, ACL: acl}
}

// sequence counts by 10 from 10 to 50.
func sequence(id uint32, schema, name string, rights catalog.Rights) *catalog.Sequence {
	return &catalog.Sequence{ID: id, Schema: schema, Name: name, Type: types.Int8, State: uint64(id), From: 10,
		Start: 10, Increment: 10, Min: 10, Max: 50, Cache: 1, Rights: rights}
}

// The numbers of the sequences, by what joe may do with them.
const (
	used      = 50_001 // USAGE
	read      = 50_002 // SELECT
	written   = 50_003 // UPDATE
	closed    = 50_004 // nothing
	another   = 50_005 // is called as used, in the schema open
	hidden    = 50_006 // is in the schema shut
	temporary = 50_007 // is joe's own, and ends with the session
)

func newWorld(t *testing.T) *nodetest.World {
	t.Helper()
	own := sequence(temporary, "pg_temp_1", "tmp", catalog.Rights{Owner: joe})
	return nodetest.New(t, `CREATE TABLE t (id serial PRIMARY KEY, x int, y int);
CREATE INDEX t_z ON t USING zorder (x zorder_ops (bits = 4), y zorder_ops (bits = 4));
CREATE INDEX t_x ON t (x);
CREATE TABLE visits (id serial PRIMARY KEY, at timestamptz) WITH (ttl = '1 hour', ttl_column = 'at')`,
		&catalog.Role{ID: ann, Name: "ann", Inherit: true}, &catalog.Role{ID: joe, Name: "joe", Inherit: true},
		&catalog.Schema{ID: 40_001, Name: "open", Rights: mine(catalog.MayUse)},
		&catalog.Schema{ID: 40_002, Name: "shut", Rights: mine(0)},
		&catalog.Schema{ID: 40_003, Name: "pg_temp_1", Rights: catalog.Rights{Owner: joe}},
		sequence(used, "public", "used", mine(catalog.MayUse)),
		sequence(read, "public", "read", mine(catalog.MaySelect)),
		sequence(written, "public", "written", mine(catalog.MayUpdate)),
		sequence(closed, "public", "closed", mine(0)),
		sequence(another, "open", "used", mine(catalog.MayUse)),
		sequence(hidden, "shut", "used", mine(catalog.MayUse)), own)
}

// outcome is a value, or the code and the text of an error.
func outcome(v any, err error) string {
	var e *sqlerr.Error
	switch {
	case errors.As(err, &e):
		return fmt.Sprintf("%s %s", e.Code, e.Message)
	case err != nil:
		return err.Error()
	}
	return fmt.Sprint(v)
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}

// TestNamesFollowThePath finds what a name stands for where the session looks when it asks, and by the rights
// that it has then.
func TestNamesFollowThePath(t *testing.T) {
	c := newClient(newWorld(t), joe)
	o := host.Objects{Session: &c.Session}
	for _, q := range []struct {
		role       uint32
		path       string
		name, want string
	}{
		{joe, "public", "used", "50001"}, {joe, "open public", "used", "50005"}, {joe, "public open", "used", "50001"},
		{joe, "", "used", `42P01 relation "used" does not exist`}, {joe, "", "open.used", "50005"},
		{joe, "public", "shut.used", "42501 permission denied for schema shut"}, {ann, "public", "shut.used", "50006"},
		{joe, "public", "none.used", `42P01 relation "none.used" does not exist`},
	} {
		c.role, c.path = q.role, strings.Fields(q.path)
		what := fmt.Sprintf("%s of role %d in %q", q.name, q.role, q.path)
		want(t, what, outcome(o.OIDOf(types.OIDRegclass, q.name)), q.want)
		want(t, what, outcome(o.Find("pg_class", q.name)), q.want)
		want(t, what, fmt.Sprint(o.Role()), fmt.Sprint(q.role))
	}
	c.path = []string{"public"}
	want(t, "a name in the path", o.NameOf(types.OIDRegclass, used), "used")
	want(t, "a name that another hides", o.NameOf(types.OIDRegclass, another), "open.used")
	have, _ := o.Privileges(joe, "pg_class", read, 0)
	if may, _ := o.Privileges(joe, "pg_class", closed, 0); have == may {
		t.Errorf("joe has the same privileges, %v, on two sequences", have)
	}
}

// TestSequencesByRights lets a role do what it has a privilege for, and nothing else.
func TestSequencesByRights(t *testing.T) {
	w := newWorld(t)
	for _, q := range []struct {
		id                 uint32
		next, current, set string
	}{
		{used, "10", "10", "42501 permission denied for sequence used"},
		{read, "42501 permission denied for sequence read", `55000 currval of sequence "read" is not yet defined in this session`,
			"42501 permission denied for sequence read"},
		{written, "10", "42501 permission denied for sequence written", "<nil>"},
		{closed, "42501 permission denied for sequence closed", "42501 permission denied for sequence closed",
			"42501 permission denied for sequence closed"},
		{temporary, "10", "10", "<nil>"},
	} {
		c := newClient(w, joe)
		s := host.Sequences{Call: c.call(t)}
		what := fmt.Sprintf("sequence %d: ", q.id)
		want(t, what+"next", outcome(s.Next(q.id, false)), q.next)
		want(t, what+"current", outcome(s.Current(q.id)), q.current)
		want(t, what+"set", outcome(nil, s.Set(q.id, 30, true)), q.set)
	}
	s := host.Sequences{Call: newClient(w, joe).call(t)}
	want(t, "an identity column's next", outcome(s.Next(closed, true)), "10")
	s.Session.Role = func() uint32 { return ann }
	want(t, "the owner's set", outcome(nil, s.Set(closed, 20, true)), "<nil>")
	want(t, "no sequence", outcome(s.Next(1, false)), "42P01 could not open relation with OID 1")
}

// TestNumbersOfSessions gives each session what it was given last, whatever others are given.
func TestNumbersOfSessions(t *testing.T) {
	w := newWorld(t)
	a, b := host.Sequences{Call: newClient(w, ann).call(t)}, host.Sequences{Call: newClient(w, ann).call(t)}
	want(t, "last before", outcome(a.Last()), "55000 lastval is not yet defined in this session")
	for i, s := range []host.Sequences{a, b, b, a} {
		want(t, "next", outcome(s.Next(used, false)), fmt.Sprint(10*(i+1)))
	}
	want(t, "another sequence", outcome(b.Next(another, false)), "10")
	want(t, "a's current", outcome(a.Current(used)), "40")
	want(t, "b's current", outcome(b.Current(used)), "30")
	want(t, "a's last", outcome(a.Last()), "40")
	want(t, "b's last", outcome(b.Last()), "10")
	want(t, "set", outcome(nil, a.Set(used, 20, false)), "<nil>")
	want(t, "current of what was not called", outcome(a.Current(used)), "40")
	n, called, err := a.State(used)
	want(t, "state", fmt.Sprint(n, called, err), "20 false <nil>")
	want(t, "next from there", outcome(b.Next(used, false)), "20")
	want(t, "set", outcome(nil, a.Set(used, 50, true)), "<nil>")
	want(t, "set is current", outcome(a.Current(used)), "50")
	want(t, "beyond the end", outcome(a.Next(used, false)),
		`2200H nextval: reached maximum value of sequence "used" (50)`)
	want(t, "set too far", outcome(nil, a.Set(used, 51, true)),
		`22003 setval: value 51 is out of bounds for sequence "used" (10..50)`)
}

// TestReadOnly refuses to change sequences in a transaction that only reads, but for temporary ones.
func TestReadOnly(t *testing.T) {
	c := newClient(newWorld(t), joe)
	c.readOnly = true
	s := host.Sequences{Call: c.call(t)}
	want(t, "next", outcome(s.Next(used, false)), "25006 nextval() in a transaction that reads")
	want(t, "set", outcome(nil, s.Set(written, 20, true)), "25006 setval() in a transaction that reads")
	want(t, "temporary next", outcome(s.Next(temporary, false)), "10")
	want(t, "temporary set", outcome(nil, s.Set(temporary, 40, true)), "<nil>")
}

// TestSerial names the sequence of a column, whose table is found as names are.
func TestSerial(t *testing.T) {
	c := newClient(newWorld(t), joe)
	s := host.Sequences{Call: c.call(t)}
	want(t, "serial", outcome(s.Serial("t", "id")), "public.t_id_seq")
	want(t, "another table's", outcome(s.Serial("visits", "id")), "public.visits_id_seq")
	want(t, "another column", outcome(s.Serial("public.t", "x")), "")
	want(t, "no column", outcome(s.Serial("t", "z")), `42703 column "z" of relation "t" does not exist`)
	c.path = []string{"open"}
	want(t, "elsewhere", outcome(s.Serial("t", "id")), `42P01 relation "t" does not exist`)
}

// TestExpire removes rows for the owner of a table, outside of blocks.
func TestExpire(t *testing.T) {
	w := newWorld(t)
	w.Exec("INSERT INTO visits VALUES (1, '2001-01-01'), (2, '2002-01-01'), (3, NULL)")
	c := newClient(w, joe)
	u := host.Upkeep{Call: c.call(t)}
	visits := w.Table("visits")
	expire := func(oid uint32) string { return outcome(u.Expire(oid)) }
	want(t, "another's table", expire(visits.ID), "42501 must be owner of table visits")
	want(t, "an index", expire(w.Table("t").Index("t_x").ID),
		fmt.Sprintf("42809 relation with OID %d is not a table", w.Table("t").Index("t_x").ID))
	c.role = catalog.BootstrapID
	c.readOnly = true
	want(t, "while reading", expire(visits.ID), "25006 zproxy.expire() in a transaction that reads")
	c.readOnly, c.inBlock = false, true
	want(t, "in a block", expire(visits.ID), "25001 zproxy.expire() in a block")
	c.inBlock = false
	if rows := w.Stored(visits, ""); len(rows) != 3 {
		t.Errorf("what was refused left %q", rows)
	}
	want(t, "the owner", expire(visits.ID), "2")
	if rows := w.Stored(visits, ""); len(rows) != 1 {
		t.Errorf("rows are left: %q", rows)
	}
}

// TestForgetsCorrections lets only the owner of a table remove what was learned of it.
func TestForgetsCorrections(t *testing.T) {
	w := newWorld(t)
	c := newClient(w, joe)
	u := host.Upkeep{Call: c.call(t)}
	visits := w.Table("visits")
	for range 4 {
		visits.Stats.Learned.Judge(func() string { return "x" }, 1, 100)
	}
	forget := func(oid uint32) string { return outcome(u.ForgetCorrections(oid)) }
	want(t, "another's table", forget(visits.ID), "42501 must be owner of table visits")
	want(t, "an index", forget(w.Table("t").Index("t_x").ID),
		fmt.Sprintf("42809 relation with OID %d is not a table", w.Table("t").Index("t_x").ID))
	c.role = catalog.BootstrapID
	want(t, "the owner", forget(visits.ID), "1")
	want(t, "again", forget(visits.ID), "0")
}

// TestBuildsAreTheOwners lets only the owner of a table change the builds of its indexes.
func TestBuildsAreTheOwners(t *testing.T) {
	w := newWorld(t)
	c := newClient(w, joe)
	u := host.Upkeep{Call: c.call(t)}
	table := w.Table("t").ID
	want(t, "another's build", outcome(u.SetBuildRate(table, "t_x", 5)), "42501 must be owner of table t")
	want(t, "another's build", outcome(u.CancelBuild(table, "t_x")), "42501 must be owner of table t")
	c.role = catalog.BootstrapID
	want(t, "no build", outcome(u.SetBuildRate(table, "t_x", 5)), "false")
	want(t, "below 0", outcome(u.SetBuildRate(table, "t_x", -1)), "22023 rows per second must not be negative")
	want(t, "no index", outcome(u.CancelBuild(table, "t_q")), `42704 table "t" has no index "t_q"`)
	c.readOnly = true
	want(t, "while reading", outcome(u.CancelBuild(table, "t_x")),
		"25006 zproxy.cancel_build() in a transaction that reads")
}

// TestCover tells of an index how it is read, to those who may read its table.
func TestCover(t *testing.T) {
	w := newWorld(t)
	c := newClient(w, joe)
	z, x := w.Table("t").Index("t_z").ID, w.Table("t").Index("t_x").ID
	cover := func(index uint32, predicate string, most int64) string {
		var out []string
		for row, err := range (host.ZOrder{Call: c.call(t)}).Cover(index, predicate, most) {
			if err != nil {
				return outcome(nil, err)
			}
			out = append(out, fmt.Sprintf("%s-%s %t", row[1].Text(), row[2].Text(), row[3].IsTrue()))
		}
		return strings.Join(out, " ")
	}
	want(t, "who may not read", cover(z, "x = 1", 10), "42501 permission denied for table t")
	c.role = catalog.BootstrapID
	want(t, "no index", cover(x, "x = 1", 10), `42809 "t_x" is not a Z-order index`)
	want(t, "no relation", cover(1, "x = 1", 10), "42P01 relation with OID 1 does not exist")
	want(t, "no ranges", cover(z, "x = 1", 0), "22023 max_ranges must be between 1 and 100000")
	want(t, "two expressions", cover(z, "x = 1), (y = 2", 10), "42601 invalid predicate: it is not one expression")
	want(t, "everything", cover(z, "x + y = 2", 10), "00-ff true")
	want(t, "nothing", cover(z, "x = 1 AND x = 2", 10), "")
	want(t, "a quarter", cover(z, "x < 0 AND y >= 0", 10), "40-7f true")
	want(t, "a box", cover(z, "x BETWEEN -1e9 AND 0 AND y BETWEEN 0 AND 1e9", 10), "60-6f true c0-c1 true c4-c5 true")
	want(t, "a box in one range", cover(z, "x BETWEEN -1000000000 AND 0 AND y < 0", 1), "20-95 false")
}
