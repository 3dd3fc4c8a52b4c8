package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/policy"
	"zproxy/expr"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// security is the row security of a table that bears on a role. A nil one bears on nothing.
type security struct {
	*Planner
	table   *catalog.Table
	role    uint32
	instead []*catalog.Table // what policies are to find in the place of others
}

// securityOf is the row security of a table where the statement names it.
func (p *Planner) securityOf(t *catalog.Table) (*security, error) {
	role := p.Acting()
	if role == 0 || !policy.Binds(p.Catalog, t, role) {
		return nil, nil
	}
	if p.Whole {
		err := sqlerr.New(sqlerr.InsufficientPrivilege, "query would be affected by row-level security policy for table %q",
			t.Name)
		if p.Catalog.Owns(role, t) {
			err = err.WithHint("To disable the policy for the table's owner, use ALTER TABLE NO FORCE ROW LEVEL SECURITY.")
		}
		return nil, err
	}
	return &security{Planner: p, table: t, role: role}, nil
}

// visible is the rows of the table that the policies for some commands leave, which conditions above must not look
// behind.
func (s *security) visible(rows plan.Node, commands ...string) (plan.Node, error) {
	cond, err := s.allowed(commands)
	if s == nil || err != nil {
		return rows, err
	}
	return restriction{cond, true}.of(rows), nil
}

// visible is the rows of a table that a query may see, or lock.
func (f *from) visible(rows plan.Node, t *catalog.Table, locks bool) (plan.Node, error) {
	s, err := f.securityOf(t)
	switch {
	case err != nil:
		return nil, err
	case locks:
		return s.visible(rows, policy.Update, policy.Select)
	}
	return s.visible(rows, policy.Select)
}

// allowed is the condition that the rows of the table meet which are there for some commands.
func (s *security) allowed(commands []string) (expr.Expr, error) {
	if s == nil {
		return nil, nil
	}
	var all []expr.Expr
	for _, command := range commands {
		set := policy.Of(s.Catalog, s.table, s.role, command)
		anyOf, err := s.anyOf(set.Any, using)
		if err != nil {
			return nil, err
		}
		if len(set.Any) == 0 { // whatever the others say
			return anyOf, nil
		}
		for _, p := range set.All {
			if using(p) != nil {
				cond, err := s.of(p, using)
				if err != nil {
					return nil, err
				}
				all = append(all, cond)
			}
		}
		all = append(all, anyOf)
	}
	return expr.Conjoin(slices.CompactFunc(all, expr.Equal)), nil
}

// part is what a policy says of some rows; nil: nothing.
type part func(*catalog.Policy) *catalog.StoredText

// using and checking are what a policy says of rows that are there, and of rows that are written.
func using(p *catalog.Policy) *catalog.StoredText { return p.Using }

func checking(p *catalog.Policy) *catalog.StoredText {
	if p.Check != nil {
		return p.Check
	}
	return p.Using
}

// anyOf is whether a row meets any of some policies: none does where there are none.
func (s *security) anyOf(policies []*catalog.Policy, says part) (expr.Expr, error) {
	var out []expr.Expr
	for _, p := range policies {
		if says(p) == nil {
			continue
		}
		cond, err := s.of(p, says)
		if err != nil {
			return nil, err
		}
		out = append(out, cond)
	}
	switch len(out) {
	case 0:
		return expr.Const{Value: types.NewBool(false), T: types.Bool}, nil
	case 1:
		return out[0], nil
	}
	return expr.Logic{Or: true, Args: out}, nil
}

// checks are what rows must meet that are written, or that are there and are to be written, by a command.
func (s *security) checks(kind plan.CheckKind, command string, says part) ([]plan.Check, error) {
	if s == nil {
		return nil, nil
	}
	set := policy.Of(s.Catalog, s.table, s.role, command)
	anyOf, err := s.anyOf(set.Any, says)
	if err != nil {
		return nil, err
	}
	out := []plan.Check{{Table: s.table.Name, Cond: anyOf, Of: kind}}
	for _, p := range set.All {
		if says(p) == nil || len(set.Any) == 0 {
			continue
		}
		cond, err := s.of(p, says)
		if err != nil {
			return nil, err
		}
		out = append(out, plan.Check{Name: p.Name, Table: s.table.Name, Cond: cond, Of: kind})
	}
	return out, nil
}

// of is what a policy says of some rows. Where queries of policies of the table are being planned already, a query in
// the other condition of the policy is one too many, too.
func (s *security) of(p *catalog.Policy, says part) (expr.Expr, error) {
	if s.Nesting.Guards(s.table) {
		for _, text := range []*catalog.StoredText{p.Using, p.Check} {
			if text == nil || text == says(p) {
				continue
			}
			if _, err := s.condition(text); err != nil {
				return nil, err
			}
		}
	}
	return s.condition(says(p))
}

// condition binds what a policy says over the row of the table.
func (s *security) condition(text *catalog.StoredText) (expr.Expr, error) {
	tree, err := parser.Expression(text.Text)
	if err != nil {
		return nil, err
	}
	defer s.ActingAs(s.as())()
	defer s.AsMeant(text.Uses, text.Path, s.instead)()
	end, err := s.Reading(text.Read)
	defer end()
	if err != nil {
		return nil, err
	}
	cond, err := s.overRow(s.table.As(text.Uses[0])).Condition(tree, "POLICY")
	return cond, bind.InStored(err)
}

// as is the role that acts for the sake of another one; 0: the one of the statement acts for itself.
func (s *security) as() uint32 {
	if s.role == s.Bound {
		return 0
	}
	return s.role
}

// overRow binds expressions of policies over the row of a table, which may have subqueries.
func (s *security) overRow(t *catalog.Table) *bind.Scalars {
	return s.Over(bind.NewScope(s.OfTable(t, "")), s, "policy expressions")
}

// Query plans a query in a policy.
func (s *security) Query(q *ast.Select, in *bind.Scope) (plan.Node, error) {
	if err := s.Nesting.EnterPolicy(s.table); err != nil {
		return nil, err
	}
	defer s.Nesting.LeavePolicy()
	return s.Planner.Query(q, in)
}

// BindPolicy is what an expression of a new policy of a table means.
func (p *Planner) BindPolicy(t *catalog.Table, tree ast.Expr) (expr.Expr, error) {
	return (&security{Planner: p, table: t}).overRow(t).Condition(tree, "POLICY")
}

// PolicyValid says whether what a policy of a table says means the same with another table in the place of one that it
// names.
func (p *Planner) PolicyValid(of *catalog.Table, text *catalog.StoredText, instead *catalog.Table) bool {
	if of.ID == instead.ID {
		of = instead
	}
	s := &security{Planner: p, table: of, instead: []*catalog.Table{instead}}
	_, err := s.condition(text)
	return err == nil
}
