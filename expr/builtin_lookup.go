package expr

// FunctionByOID finds a function by its OID, nil when there is none.
func FunctionByOID(oid uint32) *Function { return functionsByOID[oid] }

// Functions lists the overloads of a name in pg_catalog, nil when there are none.
func Functions(name string) []*Function { return FunctionsIn("", name) }

// FunctionsIn lists the overloads of a name in a schema; empty is pg_catalog.
func FunctionsIn(schema, name string) []*Function {
	if schema == catalogSchema {
		schema = ""
	}
	return functionsByName[functionName{schema, name}]
}

// HasSchema says whether a schema has functions of the table.
func HasSchema(schema string) bool { return schema == catalogSchema || schema == informationSchema }

type functionName struct{ schema, name string }

// Operators lists the overloads of an operator sign with this many operands, without
// the comparisons, which are Compare.
func Operators(sign string, operands int) []*Function {
	return operatorsBySign[operatorKey{sign, operands}]
}

type operatorKey struct {
	sign     string
	operands int
}

var (
	allFunctions                     = numbered(builtins())
	functionsByOID                   = indexOIDs(allFunctions)
	functionsByName, operatorsBySign = indexFunctions(allFunctions)
)

// numbered is the functions with the numbers that PostgreSQL gave them.
func numbered(all []*Function) []*Function {
	recorded, out := recordedOIDs(recordedProcs()), make([]*Function, len(all))
	for i, f := range all {
		out[i] = f
		if f.OID == 0 && !f.Syntax {
			known := *f
			known.OID = recorded[procKey('f', f.Schema, f.Name, f.argumentOIDs())]
			out[i] = &known
		}
	}
	return out
}

// All are all functions and operators, with the numbers of those that pg_proc has.
func All() []*Function { return allFunctions }

func indexOIDs(all []*Function) map[uint32]*Function {
	numbers := make(map[uint32]*Function, len(all))
	for _, f := range all {
		if !f.Syntax {
			numbers[f.OID] = f
		}
	}
	return numbers
}

func indexFunctions(all []*Function) (map[functionName][]*Function, map[operatorKey][]*Function) {
	names, signs := map[functionName][]*Function{}, map[operatorKey][]*Function{}
	for _, f := range all {
		key := functionName{f.Schema, f.Name}
		names[key] = append(names[key], f)
		if f.Operator != "" {
			k := operatorKey{f.Operator, len(f.Args)}
			signs[k] = append(signs[k], f)
		}
	}
	return names, signs
}

// Windows lists the overloads of a window function's name, nil when there are none.
func Windows(name string) []*WindowFunction { return windowsByName[name] }

var windowsByName = indexWindows(windowFunctions)

func indexWindows(all []*WindowFunction) map[string][]*WindowFunction {
	names := map[string][]*WindowFunction{}
	for _, w := range all {
		names[w.Name] = append(names[w.Name], w)
	}
	return names
}

// Aggregates lists the overloads of an aggregate's name, nil when there are none.
func Aggregates(name string) []*Aggregate { return aggregatesByName[name] }

var aggregatesByName = indexAggregates(aggregates())

func indexAggregates(all []*Aggregate) map[string][]*Aggregate {
	names := map[string][]*Aggregate{}
	for _, a := range all {
		names[a.Name] = append(names[a.Name], a)
	}
	return names
}
