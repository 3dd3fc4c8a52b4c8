package builtin

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/pgproc"
	"zproxy/expr/builtin/window"
)

// FunctionByOID finds a function by its OID, nil when there is none.
func FunctionByOID(oid uint32) *expr.Function { return functionsByOID[oid] }

// Functions lists the overloads of a name in pg_catalog, nil when there are none.
func Functions(name string) []*expr.Function { return FunctionsIn("", name) }

// FunctionsIn lists the overloads of a name in a schema; empty is pg_catalog.
func FunctionsIn(schema, name string) []*expr.Function {
	if schema == pg.CatalogSchema {
		schema = ""
	}
	return functionsByName[functionName{schema, name}]
}

// HasSchema says whether a schema has functions of the table.
func HasSchema(schema string) bool {
	return schema == pg.CatalogSchema || schema == pg.InformationSchema
}

type functionName struct{ schema, name string }

// Operators lists the overloads of an operator sign with this many operands, without
// the comparisons, which are Compare.
func Operators(sign string, operands int) []*expr.Function { return OperatorsIn("", sign, operands) }

// OperatorsIn is Operators of a schema; empty is pg_catalog.
func OperatorsIn(schema, sign string, operands int) []*expr.Function {
	return operatorsBySign[operatorKey{schema, sign, operands}]
}

type operatorKey struct {
	schema, sign string
	operands     int
}

var (
	allFunctions                     = numbered(Tables())
	functionsByOID                   = indexOIDs(allFunctions)
	functionsByName, operatorsBySign = indexFunctions(allFunctions)
)

// numbered is the functions with the numbers that PostgreSQL gave them.
func numbered(all []*expr.Function) []*expr.Function {
	recorded, out := pgproc.OIDs(pgproc.Procs()), make([]*expr.Function, len(all))
	for i, f := range all {
		out[i] = f
		if f.OID == 0 && !f.Syntax {
			known := *f
			known.OID = recorded[pgproc.Key('f', f.Schema, f.Name, ArgumentOIDs(f))]
			out[i] = &known
		}
	}
	return out
}

// All are all functions and operators, with the numbers of those that pg_proc has.
func All() []*expr.Function { return allFunctions }

func indexOIDs(all []*expr.Function) map[uint32]*expr.Function {
	numbers := make(map[uint32]*expr.Function, len(all))
	for _, f := range all {
		if !f.Syntax {
			numbers[f.OID] = f
		}
	}
	return numbers
}

func indexFunctions(all []*expr.Function) (map[functionName][]*expr.Function, map[operatorKey][]*expr.Function) {
	names, signs := map[functionName][]*expr.Function{}, map[operatorKey][]*expr.Function{}
	for _, f := range all {
		key := functionName{f.Schema, f.Name}
		names[key] = append(names[key], f)
		if f.Operator != "" {
			k := operatorKey{f.Schema, f.Operator, len(f.Args)}
			signs[k] = append(signs[k], f)
		}
	}
	return names, signs
}

// Windows lists the overloads of a window function's name, nil when there are none.
func Windows(name string) []*expr.WindowFunction { return windowsByName[name] }

var windowsByName = indexWindows(window.Functions)

func indexWindows(all []*expr.WindowFunction) map[string][]*expr.WindowFunction {
	names := map[string][]*expr.WindowFunction{}
	for _, w := range all {
		names[w.Name] = append(names[w.Name], w)
	}
	return names
}

// Aggregates lists the overloads of an aggregate's name, nil when there are none.
func Aggregates(name string) []*expr.Aggregate { return aggregatesByName[name] }

var aggregatesByName = indexAggregates(AllAggregates())

func indexAggregates(all []*expr.Aggregate) map[string][]*expr.Aggregate {
	names := map[string][]*expr.Aggregate{}
	for _, a := range all {
		names[a.Name] = append(names[a.Name], a)
	}
	return names
}
