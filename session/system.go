package session

import (
	"context"
	"iter"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/names"
	"zproxy/catalog/syscat"
	"zproxy/session/cursor"
	"zproxy/session/host"
	"zproxy/session/hotkeys"
	"zproxy/session/settings"
	"zproxy/store"
	"zproxy/types"
)

// systemRows computes the rows of a relation of the system as the transaction sees them.
func (r *reach) systemRows(v *catalog.Virtual, keys []uint32) iter.Seq2[types.Row, error] {
	return r.db.relations.Rows(v, &syscat.Source{
		Catalog: r.txn.Schema(), Store: r.db.Store.Capabilities(), Env: &r.settings.Env, Objects: host.Objects{Session: &r.host},
		DatabaseNames: r.names(), Server: r.server(),
		Portable:  r.settings.Portable,
		Bootstrap: r.user.Bootstrap(r.txn.Schema()), Session: ownSession{r.parts},
		Builds: func() ([]*catalog.Build, error) { return r.db.builds.List(context.Background()) },
		Heat: &hotkeys.Source{Catalog: r.txn.Schema(), Meter: r.db.Heat, Store: r.db.Store, Rows: r.db.Rows,
			Shows: r.showsValues},
		Tally: r.db.Tally, Large: largeObjects{r},
	}, keys)
}

// showsValues says whether the session may see values of a table's rows.
func (r *reach) showsValues(t *catalog.Table) bool {
	have, _ := r.txn.Schema().Privileges(r.user.Role(), t)
	return have&catalog.MaySelect != 0
}

// view is the catalog as the transaction sees it now.
func (r *reach) view() *names.View {
	snap := r.txn.Schema()
	v := &names.View{
		Catalog: snap, System: r.db.relations, Path: r.path(snap), Temporary: r.txn.Temporary,
		As:            r.user.Role(),
		Bootstrap:     r.user.Bootstrap(snap),
		DatabaseNames: r.names(), In: r.db.Whole().In, Server: r.server(), Env: &r.settings.Env,
		Portable: r.settings.Portable, Large: largeObjects{r}.Find,
	}
	if sized, ok := r.db.Store.(store.Sized); ok {
		v.Size = func(sp *store.Space) (int64, bool, error) { return sized.Bytes(r.bounds.Context(), sp) }
	}
	return v
}

// ownSession implements syscat.Session.
type ownSession struct{ s *parts }

// Settings implements syscat.Session.
func (o ownSession) Settings() []syscat.Setting {
	out := make([]syscat.Setting, len(settings.Table))
	for i, row := range settings.Table {
		name := strings.ToLower(row.Name)
		value, _ := o.s.settings.Get(name)
		out[i] = syscat.Setting{Name: row.Name, Value: value, Reset: o.s.settings.Defaults[name], Initial: row.Initial,
			Doc: row.Note, Fixed: row.Fixed, Detail: row.Describe()}
		if row.Follows != "" {
			out[i].Reset, out[i].Initial = value, value // it is the transaction's alone
		}
	}
	return out
}

// Prepared implements syscat.Session. The unnamed statement is not told of.
func (o ownSession) Prepared() []syscat.Prepared {
	var out []syscat.Prepared
	for name, st := range o.s.statements.of {
		if name == "" {
			continue
		}
		p := syscat.Prepared{Name: name, Text: st.text, Made: st.made, SQL: st.sql}
		for _, t := range st.Params {
			p.Params = append(p.Params, t.Number())
		}
		out = append(out, p)
	}
	return out
}

// Cursors implements syscat.Session. Nor is the portal without a name told of.
func (o ownSession) Cursors() []syscat.Cursor {
	var out []syscat.Cursor
	for name, p := range o.s.portals.of {
		if name == "" {
			continue
		}
		binary := len(p.Formats) > 0 && p.Formats[0] == 1 && p.cursor
		out = append(out, syscat.Cursor{Name: name, Text: p.statement.text, Made: p.made, Hold: p.hold, Binary: binary,
			Both: p.pos.Scroll != cursor.ForwardOnly})
	}
	return out
}

// Activity implements syscat.Session.
func (o ownSession) Activity() []syscat.Activity {
	sees := o.seesStatistics()
	out := o.s.db.Activity()
	for i := range out {
		out[i].Hidden = !sees && !o.s.txn.Schema().Member(o.s.user.Role(), out[i].UserID)
	}
	return out
}

// Statements implements syscat.Session.
func (o ownSession) Statements() []syscat.Statement {
	sees := o.seesStatistics()
	var out []syscat.Statement
	for _, st := range o.s.db.Statements() {
		out = append(out, syscat.Statement{Statement: st, Hidden: !sees && st.User != o.s.user.Name})
	}
	return out
}

// seesStatistics says whether the session may see what others do.
func (o ownSession) seesStatistics() bool {
	return o.s.user.Superuser() || o.s.txn.Schema().Member(o.s.user.Role(), catalog.ReadAllStatsID)
}
