package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/catalog/reference"
	"zproxy/sqlerr"
)

// enforcement is ENFORCED or NOT ENFORCED behind a constraint. PostgreSQL has these clauses from version 18 on, and
// the grammar here is that of an earlier one.
type enforcement struct {
	not bool
	// from is where the part of the statement begins that the clause ends: what stands behind a comma or a parenthesis.
	// at is where the clause begins.
	from, at int32
	altered  int  // which ALTER CONSTRAINT of the statement has it, from 1 on; 0: it is behind a new constraint
	timed    bool // that ALTER CONSTRAINT says when the constraint is checked, too
}

func (e enforcement) String() string {
	if e.not {
		return "NOT ENFORCED"
	}
	return "ENFORCED"
}

// tree reads a statement by PostgreSQL's grammar. Where that stops at ENFORCED, blanks take the position of the clause,
// and the statement is read again, all in all no more than the longest text. Which constraints had such clauses is in
// what was lifted.
func (s source) tree() (*pg.ParseResult, source, *sqlerr.Error) {
	tree, refused := postgres(s.grammar, s.watch)
	if refused == nil || !atEnforced(s.grammar, refused) {
		return tree, s, refused
	}
	toks, ok := tokenize(s.grammar, s.watch)
	if !ok {
		return nil, s, refused
	}
	l := lifter{tokens: toks, depth: toks.depths(), src: s, grammar: []byte(s.grammar)}
	var found []enforcement
	read := 0
	for wrong := refused; wrong != nil; {
		e, ok := l.enforcement(wrong)
		if !ok {
			return nil, s, wrong
		}
		if read += wrong.Position; read > maxText {
			return nil, s, sqlerr.New(sqlerr.ProgramLimitExceeded, "statement has too many clauses %s", e)
		}
		found = append(found, e)
		tree, wrong = postgres(string(l.grammar), s.watch)
	}
	s.grammar = string(l.grammar)
	s.lifted.enforced = map[*pg.Constraint]enforcement{}
	owners := constraintsOf(tree.Stmts[0].Stmt)
	for _, e := range found {
		k := owners.having(e)
		if k == nil {
			return nil, s, refused
		}
		if err := k.takes(e, s.lifted.enforced); err != nil {
			return nil, s, err
		}
	}
	return tree, s, nil
}

// atEnforced says whether the grammar stopped at the word ENFORCED.
func atEnforced(text string, refused *sqlerr.Error) bool {
	const word = "enforced"
	at := refused.Position - 1
	return at >= 0 && at+len(word) <= len(text) && strings.EqualFold(text[at:at+len(word)], word)
}

// enforcement takes out the clause whose last word the grammar stopped at, if it is one.
func (l *lifter) enforcement(refused *sqlerr.Error) (e enforcement, ok bool) {
	i := 0
	for i < len(l.list) && int(l.list[i].Start) != refused.Position-1 {
		i++
	}
	if l.word(i) != "enforced" {
		return e, false
	}
	first := i
	if l.is(i-1, pg.Token_NOT) {
		first--
	} else if !l.mayNegate(i) {
		return e, false
	}
	from := first
	depth := l.depth[i]
	for from > 0 && (l.depth[from-1] > depth || l.depth[from-1] == depth && l.kind(from-1) != pg.Token_ASCII_44) {
		from--
	}
	e = enforcement{not: first < i, from: l.list[from].Start, at: l.list[first].Start}
	to := i
	for to < len(l.list) && (l.depth[to] > 0 || l.kind(to) != pg.Token_ASCII_44) {
		to++
	}
	e.altered, e.timed = l.altered(from, to)
	l.blank(first, i+1)
	return e, true
}

// mayNegate says whether NOT may stand before the i-th token, as it may before the clauses of a constraint.
func (l *lifter) mayNegate(i int) bool {
	const not = "NOT "
	start := l.list[i].Start
	text := string(l.grammar[:start]) + not + string(l.grammar[start:l.list[i].End])
	_, refused := postgres(text, l.src.watch)
	return refused != nil && refused.Position-1 == int(start)+len(not)
}

// altered says which ALTER CONSTRAINT of the statement stands in a part of it, and whether that has clauses about
// when the constraint is checked.
func (l *lifter) altered(from, to int) (number int, timed bool) {
	mine := false
	for i := range to {
		if l.depth[i] == 0 && l.is(i, pg.Token_ALTER, pg.Token_CONSTRAINT) {
			number, mine = number+1, i >= from
		}
		timed = timed || i >= from && (l.kind(i) == pg.Token_DEFERRABLE || l.kind(i) == pg.Token_INITIALLY)
	}
	if !mine {
		return 0, false
	}
	return number, timed
}

// constraint is one that a statement defines or alters.
type constraint struct {
	*pg.Constraint
	of      constraintOf
	altered int // which ALTER CONSTRAINT it is, from 1 on
}

// constraintOf is what has a constraint.
type constraintOf int

const (
	ofTable constraintOf = iota
	ofColumn
	ofDomain
	ofOldDomain // that is altered
)

type constraints []constraint

// constraintsOf are the constraints of a statement, in the order in which they stand there.
func constraintsOf(n *pg.Node) (out constraints) {
	out.statement(n)
	return out
}

func (c *constraints) statement(n *pg.Node) {
	switch n := n.GetNode().(type) {
	case *pg.Node_CreateStmt:
		c.elements(n.CreateStmt.TableElts)
	case *pg.Node_CreateForeignTableStmt:
		c.elements(n.CreateForeignTableStmt.BaseStmt.GetTableElts())
	case *pg.Node_CreateSchemaStmt:
		for _, element := range n.CreateSchemaStmt.SchemaElts {
			c.statement(element)
		}
	case *pg.Node_AlterTableStmt:
		altered := 0
		for _, cmd := range n.AlterTableStmt.Cmds {
			a := cmd.GetAlterTableCmd()
			if a.GetSubtype() != pg.AlterTableType_AT_AlterConstraint {
				c.elements([]*pg.Node{a.GetDef()})
				continue
			}
			altered++
			*c = append(*c, constraint{Constraint: a.Def.GetConstraint(), altered: altered})
		}
	case *pg.Node_CreateDomainStmt:
		c.add(n.CreateDomainStmt.Constraints, ofDomain)
	case *pg.Node_AlterDomainStmt:
		c.add([]*pg.Node{n.AlterDomainStmt.Def}, ofOldDomain)
	}
}

// elements adds the constraints of columns and of tables.
func (c *constraints) elements(list []*pg.Node) {
	for _, element := range list {
		c.add([]*pg.Node{element}, ofTable)
		if column := element.GetColumnDef(); column != nil {
			none := &pg.Constraint{Contype: pg.ConstrType_CONSTR_NULL, Location: column.Location}
			*c = append(*c, constraint{Constraint: none, of: ofColumn}) // of a clause without a constraint before it
			c.add(column.Constraints, ofColumn)
		}
	}
}

// add adds constraints, but for what the grammar makes of clauses behind others.
func (c *constraints) add(list []*pg.Node, of constraintOf) {
	for _, n := range list {
		k := n.GetConstraint()
		if _, clause := whenWords[k.GetContype()]; k != nil && !clause {
			*c = append(*c, constraint{Constraint: k, of: of})
		}
	}
}

// having is the constraint that has a clause, nil where none may have it.
func (c constraints) having(e enforcement) (out *constraint) {
	for i := range c {
		k := &c[i]
		if k.altered == e.altered && (k.altered > 0 || e.from <= k.Location && k.Location < e.at) {
			out = k
		}
	}
	return out
}

// takes notes that a constraint has a clause, if it may.
func (k *constraint) takes(e enforcement, enforced map[*pg.Constraint]enforcement) *sqlerr.Error {
	syntax := func(format string, args ...any) *sqlerr.Error {
		return sqlerr.New(sqlerr.SyntaxError, format, args...).At(int(e.at))
	}
	before, second := enforced[k.Constraint]
	checked := k.Contype == pg.ConstrType_CONSTR_CHECK || k.Contype == pg.ConstrType_CONSTR_FOREIGN
	switch {
	case k.of == ofDomain:
		return sqlerr.New(sqlerr.FeatureNotSupported, "specifying constraint enforceability not supported for domains").
			At(int(e.at))
	case k.of == ofColumn && !checked:
		return syntax("misplaced %s clause", e)
	case k.of == ofColumn && second:
		return syntax("multiple ENFORCED/NOT ENFORCED clauses not allowed")
	case second && before.not != e.not:
		return syntax("conflicting constraint properties")
	case k.of == ofOldDomain, !checked:
		return sqlerr.New(sqlerr.FeatureNotSupported, "%s constraints cannot be marked %s",
			constraintWords[k.Contype], e)
	}
	enforced[k.Constraint] = e
	return nil
}

// constraintWords are what the grammar calls the constraints of tables and domains.
var constraintWords = map[pg.ConstrType]string{
	pg.ConstrType_CONSTR_CHECK: "CHECK", pg.ConstrType_CONSTR_UNIQUE: "UNIQUE",
	pg.ConstrType_CONSTR_PRIMARY: "PRIMARY KEY", pg.ConstrType_CONSTR_EXCLUSION: "EXCLUDE",
}

// validity says whether a constraint is checked, and whether rows that are there may not meet it.
func (l lifted) validity(k *pg.Constraint) reference.Validity {
	not := l.enforced[k].not
	return reference.Validity{NotValid: k.SkipValidation || not, NotEnforced: not}
}
