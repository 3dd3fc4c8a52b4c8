package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/define/plain"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// operators runs the statements about operators alone.
type operators struct{ *Definer }

func (d operators) run(ctx context.Context, tree *ast.Operators) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	if tree.Of != nil {
		return d.alter(ctx, tree)
	}
	schema, err := d.SchemaFor(ctx, change.Snap, ast.Name{Schema: tree.Name.Schema, Name: tree.Name.Name, Pos: -1})
	if err != nil {
		return err
	}
	o, err := plain.Operators{Builder: d.Builder(ctx, d.Txn.Changed().Snap)}.Operator(tree, schema)
	for _, name := range o.Unknown {
		w := sqlerr.Warn(sqlerr.SyntaxError, "operator attribute \"%s\" not recognized", name)
		if failed := d.Notice(w); failed != nil {
			return failed
		}
	}
	if err == nil {
		err = plains(d).mayUseFunctions(o.Plain)
	}
	if err != nil {
		return err
	}
	return d.create(ctx, o)
}

// mayUseFunctions wants the role to have the right to call the function of an operator.
func (d plains) mayUseFunctions(p *catalog.Plain) error {
	snap := d.Txn.Changed().Snap
	for _, id := range p.Functions() {
		if of := snap.FunctionByID(id); of != nil {
			if err := d.MustHold(snap, of, catalog.MayExecute); err != nil {
				return err
			}
		}
	}
	return nil
}

// create puts an operator, and those that it names which there are not yet.
func (d operators) create(ctx context.Context, o plain.NewOperator) error {
	snap, def := d.Txn.Changed().Snap, o.Operator
	o.Owner = d.Role
	old := snap.Operator(o.Schema, o.Name, def.Left, def.Right)
	switch {
	case old != nil && old.Operator.Function != 0:
		return sqlerr.New(sqlerr.DuplicateFunction, "operator %s already exists", o.Name)
	case old != nil:
		if err := d.MustOwn(snap, old); err != nil {
			return err
		}
		o.ID, o.Version, o.Comment, o.Rights = old.ID, old.Version+1, old.Comment, old.Rights
	default:
		id, err := d.NextID(ctx)()
		if err != nil {
			return err
		}
		o.ID = uint32(id)
	}
	var err error
	if o.Commutator != nil {
		if def.Commutator, err = d.other(ctx, o, *o.Commutator, true); err != nil {
			return err
		}
	}
	if o.Negator != nil {
		if def.Negator, err = d.other(ctx, o, *o.Negator, false); err != nil {
			return err
		}
	}
	return d.Txn.Put(ctx, o.Plain)
}

// other is the commutator or the negator of an operator, which refers to it from then on. What there is not, is made.
func (d operators) other(ctx context.Context, o plain.NewOperator, name ast.Name, commutes bool) (uint32, error) {
	snap, left, right := d.Txn.Changed().Snap, o.Operator.Left, o.Operator.Right
	if commutes {
		left, right = right, left
	}
	found, id := d.find(snap, name, left, right)
	if id != 0 && found == nil {
		return id, nil // it is built in
	}
	if found == nil {
		schema, err := d.SchemaFor(ctx, snap, ast.Name{Schema: name.Schema, Name: name.Name, Pos: -1})
		if err != nil {
			return 0, err
		}
		if found = o.Plain; schema != o.Schema || name.Name != o.Name || !o.Operator.Takes(left, right) {
			made := plain.Unmade(schema, name.Name, left, right)
			made.Owner = d.Role
			id, err := d.NextID(ctx)()
			if err != nil {
				return 0, err
			}
			made.ID, found = uint32(id), made
		}
	}
	if found.ID == o.ID {
		if !commutes {
			return 0, invalidOperator("operator cannot be its own negator or sort operator")
		}
		return o.ID, nil
	}
	linked := *found
	def := *found.Operator
	linked.Operator = &def
	at := &def.Negator
	if commutes {
		at = &def.Commutator
	}
	if *at == 0 {
		*at = o.ID
	}
	return found.ID, d.Txn.Put(ctx, &linked)
}

func invalidOperator(message string) error {
	return sqlerr.New(sqlerr.InvalidFunctionDefinition, "%s", message)
}

// find finds the operator that a name means, and its number; nil and a number mean one that is built in.
func (d operators) find(snap *catalog.Snapshot, name ast.Name, left, right types.OID) (*catalog.Plain, uint32) {
	path := d.Path(snap)
	if name.Schema != "" {
		path = []string{meantSchema(d.Definer, name.Schema)}
	}
	for _, schema := range path {
		if s := snap.Schema(schema); name.Schema == "" && s != nil && !snap.MayUse(d.Role, s) {
			continue
		}
		if schema == catalog.PgCatalogName {
			if id := plain.BuiltIn(name.Name, left, right); id != 0 {
				return nil, id
			}
		}
		if o := snap.Operator(schema, name.Name, left, right); o != nil {
			return o, o.ID
		}
	}
	return nil, 0
}

// named finds the operator that a statement names.
func (d operators) named(snap *catalog.Snapshot, s *ast.Signature) (*catalog.Plain, error) {
	if s.Schema != "" && snap.Schema(meantSchema(d.Definer, s.Schema)) == nil {
		return nil, noSchema(s.Schema)
	}
	p := d.Planner(snap)
	var operands [2]types.OID
	shown := []string{}
	for i, n := range s.Args {
		if n.Name == "" {
			continue
		}
		t, err := p.TypeNamed(n)
		if err != nil {
			return nil, err
		}
		operands[i], shown = t.Number(), append(shown, t.Bare().String())
	}
	o, id := d.find(snap, s.Name, operands[0], operands[1])
	full := bind.Dotted(s.Name)
	switch {
	case o != nil:
		return o, nil
	case id != 0:
		return nil, sqlerr.New(sqlerr.DependentObjectsStillExist,
			"cannot drop operator %s because it is required by the database system",
			s.Name.Name+"("+routines(d).operandList(snap, operands)+")")
	case operands[0] == 0:
		full += " " + shown[0]
	case operands[1] == 0:
		full = shown[0] + " " + full
	default:
		full = shown[0] + " " + full + " " + shown[1]
	}
	return nil, sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s", full)
}

// operandList are the names of the types of operands.
func (d routines) operandList(snap *catalog.Snapshot, operands [2]types.OID) string {
	if operands[0] == 0 {
		return "NONE," + d.typeList(snap, operands[1:], ",")
	}
	return d.typeList(snap, operands[:], ",")
}

// describe names an operator with the types of its operands, with its schema where it must be told.
func (d operators) describe(snap *catalog.Snapshot, o *catalog.Plain) string {
	name, def := o.Name, o.Operator
	if found, _ := d.find(snap, ast.Name{Name: o.Name}, def.Left, def.Right); found == nil || found.ID != o.ID {
		name = expr.QuoteIdent(o.Schema) + "." + name
	}
	return "operator " + name + "(" + routines(d).operandList(snap, [2]types.OID{def.Left, def.Right}) + ")"
}

func (d operators) alter(ctx context.Context, tree *ast.Operators) error {
	snap := d.Txn.Changed().Snap
	o, err := d.named(snap, tree.Of)
	if err == nil {
		err = d.MustOwn(snap, o)
	}
	if err != nil {
		return err
	}
	altered, err := plain.Operators{Builder: d.Builder(ctx, snap)}.Altered(o, tree)
	if err != nil {
		return err
	}
	return d.Txn.Put(ctx, altered)
}

// unlink has other operators forget one that goes.
func (d operators) unlink(ctx context.Context, gone *catalog.Plain) error {
	for _, o := range d.Txn.Changed().Snap.Plains(catalog.OperatorKind) {
		if o.ID == gone.ID || o.Operator.Commutator != gone.ID && o.Operator.Negator != gone.ID {
			continue
		}
		c := *o
		c.Operator, c.Version = o.Operator.Without(gone.ID), o.Version+1
		if err := d.Txn.Put(ctx, &c); err != nil {
			return err
		}
	}
	return nil
}
