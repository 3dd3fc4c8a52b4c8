package referential

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/reference"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Given is the name of the rows that a statement is given: the keys that it is about. They have the columns k1, k2 and
// so on, and for an update with CASCADE behind them the new keys.
const Given = "pg_referenced_keys"

// keys writes the statements of one foreign key.
type keys struct{ *plan.Reference }

// columns are those of the rows that statements are given, with the types of columns of a table. They have no
// collations, so that those of the tables count.
func columns(of *catalog.Table, ordinals []int, first int) []plan.Column {
	var out []plan.Column
	for i, at := range ordinals {
		out = append(out, plan.Column{Name: column(first + i), Type: of.Columns[at].Type.Bare().In(types.Collation{})})
	}
	return out
}

// column is the name of one of the given columns, by its number from 0.
func column(i int) string { return "k" + string(rune('a'+i/26)) + string(rune('a'+i%26)) }

// Referred finds given keys that rows still refer to, though no row of the parent has them. Without vacant, it does
// not matter whether one has.
func Referred(r *plan.Reference, vacant bool) Statement {
	k := keys{r}
	text := "SELECT g.* FROM " + Given + " g JOIN " + relation(r.Child) + " c ON " + k.meets("c", r.Child, r.Own)
	if vacant {
		text += " WHERE NOT EXISTS (SELECT FROM " + relation(r.Parent) + " p WHERE " +
			k.meets("p", r.Parent, r.Refers) + ")"
	}
	return Statement{Of: r, Text: text + " LIMIT 1 FOR KEY SHARE OF c", Cols: columns(r.Parent, r.Refers, 0),
		Vacated: true}
}

// Missing finds given keys, of the types of the table that refers, to which rows of it refer, but that no row of the
// parent has.
func Missing(r *plan.Reference) Statement {
	s := Referred(r, true)
	s.Cols, s.Vacated = columns(r.Child, r.Own, 0), false
	return s
}

// Referring finds the given keys, of the types of the table that refers, to which rows of it refer.
func Referring(r *plan.Reference) Statement {
	return Statement{Of: r, Cols: columns(r.Child, r.Own, 0), Text: "SELECT g.* FROM " + Given + " g WHERE EXISTS " +
		"(SELECT FROM " + relation(r.Child) + " c WHERE " + keys{r}.meets("c", r.Child, r.Own) + ")"}
}

// Mixed finds given keys with NULL among them, of the types of the table that refers, which rows of it have.
func Mixed(r *plan.Reference) Statement {
	var same []string
	for i, at := range r.Own {
		same = append(same, name("c", r.Child, at)+" IS NOT DISTINCT FROM g."+column(i))
	}
	return Statement{Of: r, Cols: columns(r.Child, r.Own, 0), Text: "SELECT g.* FROM " + Given + " g JOIN " +
		relation(r.Child) + " c ON " + strings.Join(same, " AND ") + " LIMIT 1 FOR KEY SHARE OF c"}
}

// Later finds the keys of a statement to which rows refer, of those rows that it is to lock.
func Later(s Statement) Statement {
	k := keys{s.Of}
	var list []string
	for i := range s.Of.Own {
		list = append(list, "g."+column(i))
	}
	s.Text = "SELECT " + strings.Join(list, ", ") + " FROM " + Given + " g JOIN " + relation(s.Of.Child) + " c ON " +
		k.meets("c", s.Of.Child, s.Of.Own) + " LIMIT 1 FOR KEY SHARE OF c"
	return s
}

// Orphans finds a row that a key forbids: a key that is not NULL and that no row of the parent has.
func Orphans(r *plan.Reference) string {
	var list, set, same []string
	for i := range r.Own {
		c := name("c", r.Child, r.Own[i])
		list, set = append(list, c), append(set, c+" IS NOT NULL")
		same = append(same, name("p", r.Parent, r.Refers[i])+" = "+c)
	}
	exists := "SELECT FROM " + relation(r.Parent) + " p WHERE " + strings.Join(same, " AND ")
	cond := strings.Join(set, " AND ") + " AND NOT EXISTS (" + exists + ")"
	if r.Key.Full && len(set) > 1 {
		cond = "(" + strings.Join(set, " OR ") + ") AND NOT EXISTS (" + exists + ")"
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM " + relation(r.Child) + " c WHERE " + cond + " LIMIT 1"
}

// References finds a key of the parent that rows refer to.
func References(r *plan.Reference) string {
	var list, same []string
	for i := range r.Own {
		list = append(list, name("c", r.Child, r.Own[i]))
		same = append(same, name("p", r.Parent, r.Refers[i])+" = "+list[i])
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM " + relation(r.Child) + " c JOIN " + relation(r.Parent) +
		" p ON " + strings.Join(same, " AND ") + " LIMIT 1"
}

// Action is what a key does about rows that refer to given keys which are deleted, or in whose stead rows have others.
func Action(r *plan.Reference, deleted bool) Statement {
	s := Statement{Of: r, Cols: columns(r.Parent, r.Refers, 0), Writes: true, Vacated: true}
	if deleted {
		s.Text = onDelete(r)
	} else {
		s.Text = onUpdate(r)
		s.Cols = append(s.Cols, columns(r.Parent, r.Refers, len(r.Own))...)
	}
	return s
}

// Actions are the statements that run for the rows that a plan deletes, or to which it gives other keys.
func Actions(n plan.Node) (out []Statement) {
	switch n := n.(type) {
	case plan.Delete:
		for i := range n.From {
			out = append(out, about(&n.From[i], n.From[i].Key.OnDelete, true))
		}
	case plan.Update:
		set := func(at int) bool {
			return slices.ContainsFunc(n.Set, func(a plan.Assignment) bool { return a.Column == at })
		}
		for i := range n.From {
			if r := &n.From[i]; slices.ContainsFunc(r.Refers, set) {
				out = append(out, about(r, r.Key.OnUpdate, false))
			}
		}
	}
	for _, in := range n.Inputs() {
		out = append(out, Actions(in)...)
	}
	return out
}

// about is the statement that an action runs, or the check that there are no rows which refer.
func about(r *plan.Reference, a reference.Action, deleted bool) Statement {
	if a.Writes() {
		return Action(r, deleted)
	}
	return Referred(r, a != reference.Restrict)
}

// onDelete is what the key does about rows that refer to given keys which are deleted.
func onDelete(r *plan.Reference) string {
	k := keys{r}
	if r.Key.OnDelete == reference.Cascade {
		return "DELETE FROM " + relation(r.Child) + " c USING " + Given + " g WHERE " + k.meets("c", r.Child, r.Own)
	}
	return k.sets(r.Key.OnDelete, r.Key.Set())
}

// onUpdate is what the key does about rows that refer to given keys in whose stead rows have others.
func onUpdate(r *plan.Reference) string {
	k := keys{r}
	if r.Key.OnUpdate != reference.Cascade {
		return k.sets(r.Key.OnUpdate, r.Key.Columns)
	}
	var set []string
	for i, at := range r.Own {
		set = append(set, expr.QuoteIdent(r.Child.Columns[at].Name)+" = g."+column(len(r.Own)+i))
	}
	return k.update(set)
}

// sets is SET NULL or SET DEFAULT of some columns.
func (k keys) sets(to reference.Action, columns []uint32) string {
	value := map[reference.Action]string{reference.SetNull: "NULL", reference.SetDefault: "DEFAULT"}[to]
	var set []string
	for _, at := range k.Own {
		if slices.Contains(columns, k.Child.Columns[at].ID) {
			set = append(set, expr.QuoteIdent(k.Child.Columns[at].Name)+" = "+value)
		}
	}
	return k.update(set)
}

func (k keys) update(set []string) string {
	return "UPDATE " + relation(k.Child) + " c SET " + strings.Join(set, ", ") + " FROM " + Given + " g WHERE " +
		k.meets("c", k.Child, k.Own)
}

// meets is the condition that columns of a table have a given key.
func (k keys) meets(alias string, t *catalog.Table, ordinals []int) string {
	var out []string
	for i, at := range ordinals {
		out = append(out, name(alias, t, at)+" = g."+column(i))
	}
	return strings.Join(out, " AND ")
}

func name(alias string, t *catalog.Table, ordinal int) string {
	return alias + "." + expr.QuoteIdent(t.Columns[ordinal].Name)
}

func relation(t *catalog.Table) string {
	only := "ONLY "
	if t.Partitioning != nil {
		only = ""
	}
	return only + expr.QuoteIdent(t.Schema) + "." + expr.QuoteIdent(t.Name)
}
