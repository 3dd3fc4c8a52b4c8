package system

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// objectFunctions describe what the catalog has.
var objectFunctions = slices.Concat(
	visibleFunctions, commentFunctions, definitionFunctions, statisticsFunctions, triggerFunctions,
	updatableFunctions)

var visibleFunctions = []*expr.Function{
	{Name: "pg_table_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether search_path leads to a relation.", Fn1: isVisible(classRelation)},
	{Name: "pg_type_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether search_path leads to a type.", Fn1: isVisible(classType)},
	{Name: "pg_function_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether search_path leads to a function.", Fn1: isVisible(classFunction)},
	{Name: "pg_collation_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether search_path leads to a collation.", Fn1: isVisible(classCollation)},
	{Name: "pg_operator_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether search_path leads to an operator.", Fn1: isVisible(classOperator)},
	{Name: "pg_opclass_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether search_path leads to an operator class.", Fn1: isVisible("pg_opclass")},
	{Name: "pg_opfamily_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether search_path leads to an operator family.", Fn1: isVisible("pg_opfamily")},
	{Name: "pg_conversion_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "NULL: there are no conversions.", Fn1: nullValue},
	{Name: "pg_statistics_obj_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether search_path leads to a statistics object.", Fn1: isVisible(classStatistics)},
	{Name: "pg_ts_config_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether search_path leads to a configuration of text search.", Fn1: isVisible("pg_ts_config")},
	{Name: "pg_ts_dict_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether search_path leads to a dictionary of text search.", Fn1: isVisible("pg_ts_dict")},
	{Name: "pg_ts_parser_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether search_path leads to a parser of text search.", Fn1: isVisible("pg_ts_parser")},
	{Name: "pg_ts_template_is_visible", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether search_path leads to a template of dictionaries.", Fn1: isVisible("pg_ts_template")},
}

var commentFunctions = []*expr.Function{
	{Name: "obj_description", Args: pg.Sig{pg.OID, pg.Name}, Result: pg.Text, Volatility: expr.Stable, Doc: "Comment on an object of the catalog that is named.", Fn2: objectComment},
	{Name: "obj_description", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Comment on an object of any catalog.", Fn1: anyComment},
	{Name: "pg_describe_object", Args: pg.Sig{pg.OID, pg.OID, pg.Int4}, Result: pg.Text, Volatility: expr.Stable, Doc: "Kind and name of a relation, a column, a schema, a function, a type or a role, by the catalog that has it and its number; NULL of other objects.", FnN: describedObject},
	{Name: "col_description", Args: pg.Sig{pg.OID, pg.Int4}, Result: pg.Text, Volatility: expr.Stable, Doc: "Comment on a column of a relation.", Fn2: columnComment},
	{Name: "shobj_description", Args: pg.Sig{pg.OID, pg.Name}, Result: pg.Text, Volatility: expr.Stable, Doc: "Comment on a database, a role or a tablespace.", Fn2: objectComment},
}

var definitionFunctions = []*expr.Function{
	{Name: "pg_get_indexdef", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Statement that makes an index.", Fn1: indexDefinition},
	{Name: "pg_get_indexdef", Args: pg.Sig{pg.OID, pg.Int4, pg.Boolean}, Result: pg.Text, Volatility: expr.Stable, Doc: "Column of an index by its number, or with 0 the statement that makes the index.", FnN: indexPart},
	{Name: "pg_get_constraintdef", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Clause that makes a constraint.", Fn1: constraintDefinition},
	{Name: "pg_get_constraintdef", Args: pg.Sig{pg.OID, pg.Boolean}, Result: pg.Text, Volatility: expr.Stable, Doc: "Clause that makes a constraint, perhaps with fewer parentheses.", Fn2: constraintPretty},
	{Name: "pg_get_viewdef", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Query of a view.", Fn1: viewDefinition},
	{Name: "pg_get_viewdef", Args: pg.Sig{pg.OID, pg.Boolean}, Result: pg.Text, Volatility: expr.Stable, Doc: "Query of a view, perhaps with fewer parentheses.", Fn2: viewPretty},
	{Name: "pg_get_viewdef", Args: pg.Sig{pg.OID, pg.Int4}, Result: pg.Text, Volatility: expr.Stable, Doc: "Query of a view, with lines of a length.", Fn2: viewWrapped},
	{Name: "pg_get_viewdef", Args: pg.Sig{pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Query of the view of a name.", Fn1: viewNamed},
	{Name: "pg_get_viewdef", Args: pg.Sig{pg.Text, pg.Boolean}, Result: pg.Text, Volatility: expr.Stable, Doc: "Query of the view of a name, perhaps with fewer parentheses.", Fn2: viewNamedPretty},
	{Name: "pg_get_expr", Args: pg.Sig{pg.Text, pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Expression that a catalog keeps.", Fn2: storedExpression},
	{Name: "pg_get_expr", Args: pg.Sig{pg.Text, pg.OID, pg.Boolean}, Result: pg.Text, Volatility: expr.Stable, Doc: "Expression that a catalog keeps, perhaps with fewer parentheses.", FnN: storedExpressionPretty},
	{Name: "pg_get_ruledef", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Statement that would make the rule of a view.", Fn1: ruleDefinition},
	{Name: "pg_get_ruledef", Args: pg.Sig{pg.OID, pg.Boolean}, Result: pg.Text, Volatility: expr.Stable, Doc: "Statement that would make the rule of a view, perhaps with fewer parentheses.", Fn2: rulePretty},
	{Name: "pg_get_userbyid", Args: pg.Sig{pg.OID}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of a role by its number.", Fn1: roleName},
	{Name: "pg_get_partkeydef", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "What a table is partitioned by.", Fn1: partitionKey},
	{Name: "pg_get_partition_constraintdef", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Condition for the rows of a partition.", Fn1: partitionRange},
	{Name: "pg_get_replica_identity_index", Args: pg.Sig{pg.Regclass}, Result: pg.Regclass, Volatility: expr.Stable, Doc: "Primary key of a table, as an index.", Fn1: primaryKeyOf},
}

func nullValue(*expr.Context, types.Value) (types.Value, error) { return types.Null, nil }

func isVisible(class string) expr.Function1 {
	return func(c *expr.Context, a types.Value) (types.Value, error) {
		o := objectOf(c, class, a.Int())
		if o == nil {
			return types.Null, nil
		}
		return types.NewBool(o.Visible), nil
	}
}

// orNull is a text, or NULL when it is empty.
func orNull(s string) types.Value {
	if s == "" {
		return types.Null
	}
	return types.NewText(s)
}

func objectComment(c *expr.Context, a, class types.Value) (types.Value, error) {
	if o := objectOf(c, class.Text(), a.Int()); o != nil {
		return orNull(o.Comment), nil
	}
	return types.Null, nil
}

func anyComment(c *expr.Context, a types.Value) (types.Value, error) {
	classes := []string{classRelation, classSchema, classConstraint, classFunction, classType, classStatistics}
	for _, class := range classes {
		if o := objectOf(c, class, a.Int()); o != nil && o.Comment != "" {
			return types.NewText(o.Comment), nil
		}
	}
	return types.Null, nil
}

// objectKinds are the objects that have a name as a type of OIDs writes it, by their catalogs.
var objectKinds = map[string]struct {
	word string
	name types.OID
}{
	classSchema: {"schema", types.OIDRegnamespace}, classFunction: {"function", types.OIDRegprocedure},
	classType: {"type", types.OIDRegtype}, "pg_authid": {"role", types.OIDRegrole},
}

var relationWords = map[RelationKind]string{TableRelation: "table", ForeignRelation: "foreign table",
	IndexRelation: "index", ViewRelation: "view", MaterializedRelation: "materialized view", SequenceRelation: "sequence",
	CompositeRelation: "composite type"}

func describedObject(c *expr.Context, args []types.Value) (types.Value, error) {
	names := c.Env.Names
	if names == nil {
		return types.Null, nil
	}
	nameOf := func(kind types.OID, v types.Value) string { return names.NameOf(kind, uint32(v.Int())) }
	class := nameOf(types.OIDRegclass, args[0])
	kind, named := objectKinds[class]
	if class == classRelation {
		r := relationOf(c, args[1].Int())
		if r == nil {
			return types.Null, nil
		}
		kind.word, kind.name, named = relationWords[r.Kind], types.OIDRegclass, true
		if col := r.Column(args[2].Int()); col != nil && args[2].Int() != 0 {
			kind.word = "column " + col.Name + " of " + kind.word
		}
	}
	name := ""
	if named {
		name = nameOf(kind.name, args[1])
	} else if class == classStatistics {
		kind.word, name = "statistics object", qualified(objectOf(c, class, args[1].Int()))
	}
	if name == "" {
		return types.Null, nil
	}
	return types.NewText(kind.word + " " + name), nil
}

// qualified is the name of an object with its schema where search_path does not lead to it, empty for none.
func qualified(o *Object) string {
	switch {
	case o == nil:
		return ""
	case o.Visible:
		return expr.QuoteIdent(o.Name)
	}
	return expr.QuoteIdent(o.Schema) + "." + expr.QuoteIdent(o.Name)
}

func columnComment(c *expr.Context, a, number types.Value) (types.Value, error) {
	if r := relationOf(c, a.Int()); r != nil && r.Kind != IndexRelation {
		if col := r.Column(number.Int()); col != nil {
			return orNull(col.Comment), nil
		}
	}
	return types.Null, nil
}

func definitionOf(c *expr.Context, class string, kind RelationKind, oid int64, l Layout) (types.Value, error) {
	o := objectOf(c, class, oid)
	stored := o != nil && o.Relation != nil && o.Relation.Kind == MaterializedRelation && kind == ViewRelation
	if o == nil || o.Definition == nil || kind != 0 && o.Relation.Kind != kind && !stored {
		return types.Null, nil
	}
	return types.NewText(o.Definition(l)), nil
}

func indexDefinition(c *expr.Context, a types.Value) (types.Value, error) {
	return definitionOf(c, classRelation, IndexRelation, a.Int(), Layout{})
}

func indexPart(c *expr.Context, args []types.Value) (types.Value, error) {
	number := args[1].Int()
	if number == 0 {
		return definitionOf(c, classRelation, IndexRelation, args[0].Int(), Layout{Pretty: args[2].Bool()})
	}
	r := relationOf(c, args[0].Int())
	switch {
	case r == nil || r.Kind != IndexRelation:
		return types.Null, nil
	case number < 0 || number > int64(len(r.Columns)):
		return types.NewText(""), nil
	}
	column := &r.Columns[number-1]
	if column.Default != nil {
		return types.NewText(column.Default(Layout{Pretty: args[2].Bool()})), nil
	}
	return types.NewText(expr.QuoteIdent(column.Name)), nil
}

func constraintDefinition(c *expr.Context, a types.Value) (types.Value, error) {
	return definitionOf(c, classConstraint, 0, a.Int(), Layout{})
}

func constraintPretty(c *expr.Context, a, pretty types.Value) (types.Value, error) {
	return definitionOf(c, classConstraint, 0, a.Int(), Layout{Pretty: pretty.Bool()})
}

func viewDefinition(c *expr.Context, a types.Value) (types.Value, error) {
	return definitionOf(c, classRelation, ViewRelation, a.Int(), Layout{})
}

func viewPretty(c *expr.Context, a, pretty types.Value) (types.Value, error) {
	return definitionOf(c, classRelation, ViewRelation, a.Int(), Layout{Pretty: pretty.Bool()})
}

func viewWrapped(c *expr.Context, a, width types.Value) (types.Value, error) {
	return definitionOf(c, classRelation, ViewRelation, a.Int(), Layout{Pretty: true, Wrap: int(width.Int())})
}

func ruleDefinition(c *expr.Context, a types.Value) (types.Value, error) {
	return definitionOf(c, classRule, 0, a.Int(), Layout{})
}

func rulePretty(c *expr.Context, a, pretty types.Value) (types.Value, error) {
	return definitionOf(c, classRule, 0, a.Int(), Layout{Pretty: pretty.Bool()})
}

func viewNamed(c *expr.Context, a types.Value) (types.Value, error) {
	id, err := find(c, classRelation, a.Text())
	if err != nil {
		return types.Null, err
	}
	return viewDefinition(c, types.NewInt(int64(id)))
}

func viewNamedPretty(c *expr.Context, a, pretty types.Value) (types.Value, error) {
	id, err := find(c, classRelation, a.Text())
	if err != nil {
		return types.Null, err
	}
	return viewPretty(c, types.NewInt(int64(id)), pretty)
}

// find is Objects.Find where there may be no objects.
func find(c *expr.Context, class, name string) (uint32, error) {
	if hostOf(c).Objects == nil {
		return 0, sqlerr.Unsupported("a name of an object here")
	}
	return hostOf(c).Objects.Find(class, name)
}

func storedExpression(c *expr.Context, a, relation types.Value) (types.Value, error) {
	return storedExpressionPretty(c, []types.Value{a, relation, types.NewBool(false)})
}

func storedExpressionPretty(c *expr.Context, args []types.Value) (types.Value, error) {
	if hostOf(c).Objects == nil {
		return args[0], nil
	}
	out, ok := hostOf(c).Objects.Expression(args[0].Text(), uint32(args[1].Int()), Layout{Pretty: args[2].Bool()})
	if !ok {
		return types.Null, nil
	}
	return types.NewText(out), nil
}

func roleName(c *expr.Context, a types.Value) (types.Value, error) {
	if o := objectOf(c, classRole, a.Int()); o != nil {
		return types.NewText(o.Name), nil
	}
	return types.NewText(fmt.Sprintf("unknown (OID=%d)", a.Int())), nil
}

func partitionKey(c *expr.Context, a types.Value) (types.Value, error) {
	return textOf(c, a, func(r *RelationObject) string { return r.PartitionKey })
}

func partitionRange(c *expr.Context, a types.Value) (types.Value, error) {
	return textOf(c, a, func(r *RelationObject) string { return r.Range })
}

// textOf is a text about a relation, NULL where it has none.
func textOf(c *expr.Context, oid types.Value, of func(*RelationObject) string) (types.Value, error) {
	r := relationOf(c, oid.Int())
	if r == nil || of(r) == "" {
		return types.Null, nil
	}
	return types.NewText(of(r)), nil
}

func primaryKeyOf(c *expr.Context, a types.Value) (types.Value, error) {
	if r := relationOf(c, a.Int()); r != nil && r.PrimaryKey != 0 {
		return types.NewInt(int64(r.PrimaryKey)), nil
	}
	return types.Null, nil
}

var updatableFunctions = []*expr.Function{
	{Name: "pg_relation_is_updatable", Args: pg.Sig{pg.Regclass, pg.Boolean}, Result: pg.Int4, Volatility: expr.Stable, Doc: "Sum of what a relation takes: 4 UPDATE, 8 INSERT, 16 DELETE.", Fn2: isUpdatable},
	{Name: "pg_column_is_updatable", Args: pg.Sig{pg.Regclass, pg.Int2, pg.Boolean}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether UPDATE can change a column.", FnN: isColumnUpdatable},
	{Name: "pg_relation_is_publishable", Args: pg.Sig{pg.Regclass}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "False: there are no publications.", Fn1: publishable},
	{Name: "row_security_active", Args: pg.Sig{pg.OID}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether policies of row security bear on what the present role does with a table.", Fn1: rowSecurity},
	{Name: "row_security_active", Args: pg.Sig{pg.Text}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether policies of row security bear on what the present role does with a table.", Fn1: rowSecurityNamed},
	{Name: "pg_index_has_property", Args: pg.Sig{pg.Regclass, pg.Text}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether an index has a property, such as index_scan.", Fn2: indexProperty},
	{Name: "pg_index_column_has_property", Args: pg.Sig{pg.Regclass, pg.Int4, pg.Text}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "Whether a column of an index has a property, such as asc.", FnN: indexColumnProperty},
}

func isUpdatable(c *expr.Context, a, _ types.Value) (types.Value, error) {
	if r := relationOf(c, a.Int()); r != nil && r.updatable() {
		if !slices.ContainsFunc(r.Columns, func(c ObjectColumn) bool { return !c.Computed }) {
			return types.NewInt(16), nil
		}
		return types.NewInt(4 + 8 + 16), nil
	}
	return types.NewInt(0), nil
}

func (r *RelationObject) updatable() bool {
	return !r.ReadOnly && (r.Kind == TableRelation || r.Kind == ForeignRelation || r.Kind == ViewRelation)
}

func isColumnUpdatable(c *expr.Context, args []types.Value) (types.Value, error) {
	r := relationOf(c, args[0].Int())
	if r == nil || !r.updatable() {
		return types.NewBool(false), nil
	}
	column := r.Column(args[1].Int())
	return types.NewBool(column != nil && !column.Computed), nil
}

func publishable(c *expr.Context, a types.Value) (types.Value, error) {
	if relationOf(c, a.Int()) == nil {
		return types.Null, nil
	}
	return types.NewBool(false), nil
}

func rowSecurity(c *expr.Context, a types.Value) (types.Value, error) {
	o := objectOf(c, classRelation, a.Int())
	return types.NewBool(o != nil && o.Guarded), nil
}

func rowSecurityNamed(c *expr.Context, a types.Value) (types.Value, error) {
	id, err := find(c, classRelation, a.Text())
	if err != nil {
		return types.Null, err
	}
	return rowSecurity(c, types.NewInt(int64(id)))
}

func index(c *expr.Context, oid int64) *RelationObject {
	if r := relationOf(c, oid); r != nil && r.Kind == IndexRelation {
		return r
	}
	return nil
}

func indexProperty(c *expr.Context, a, property types.Value) (types.Value, error) {
	r := index(c, a.Int())
	if r == nil {
		return types.Null, nil
	}
	switch strings.ToLower(property.Text()) {
	case "clusterable", "bitmap_scan":
		return types.NewBool(false), nil
	case "index_scan":
		return types.NewBool(true), nil
	case "backward_scan":
		return types.NewBool(r.Method != "zorder"), nil
	}
	return types.Null, nil
}

func indexColumnProperty(c *expr.Context, args []types.Value) (types.Value, error) {
	r, number := index(c, args[0].Int()), args[1].Int()
	if r == nil || number < 1 || number > int64(len(r.Columns)) {
		return types.Null, nil
	}
	col, key := r.Columns[number-1], number <= int64(r.Keys)
	ordered := key && r.Method != "zorder"
	of := map[string]bool{"orderable": ordered, "distance_orderable": false, "returnable": true}
	if key {
		of["asc"], of["desc"] = ordered && !col.Desc, ordered && col.Desc
		of["nulls_first"], of["nulls_last"] = ordered && col.NullsFirst, ordered && !col.NullsFirst
		of["search_array"], of["search_nulls"] = true, true
	}
	holds, known := of[strings.ToLower(args[2].Text())]
	if !known {
		return types.Null, nil
	}
	return types.NewBool(holds), nil
}
