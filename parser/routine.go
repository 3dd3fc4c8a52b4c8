package parser

import (
	"reflect"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// routines converts the statements about functions and procedures.
type routines struct{ *converter }

func (c routines) convert(node *pg.Node) ast.Statement {
	switch n := node.GetNode().(type) {
	case *pg.Node_CreateFunctionStmt:
		return c.createRoutine(n.CreateFunctionStmt)
	case *pg.Node_CreateTrigStmt:
		return triggers(c).create(n.CreateTrigStmt)
	case *pg.Node_CallStmt:
		if call, ok := c.call(n.CallStmt.Funccall).(*ast.Call); ok {
			return &ast.CallProcedure{Call: call}
		}
	case *pg.Node_AlterFunctionStmt:
		return &ast.AlterRoutine{Kind: c.objectKind("ALTER", n.AlterFunctionStmt.Objtype),
			Of: c.signature(n.AlterFunctionStmt.Func), RoutineOptions: c.routineOptions(n.AlterFunctionStmt.Actions, nil)}
	}
	if n, ok := node.GetNode().(*pg.Node_DoStmt); ok {
		return c.do(n.DoStmt)
	}
	return c.roles(node)
}

// do is DO, in PL/pgSQL unless it says another language.
func (c routines) do(n *pg.DoStmt) ast.Statement {
	out := &ast.Do{Language: "plpgsql", BodyPos: -1}
	for _, a := range n.Args {
		d := a.GetDefElem()
		c.refuse(d.GetDefnamespace() != "", a, "this option of DO")
		switch d.GetDefname() {
		case "as":
			out.Body, out.BodyPos = c.optionValue(d.GetArg()), c.at(d.GetLocation())
		case "language":
			out.Language = c.optionValue(d.GetArg())
		default:
			c.refuse(true, a, "this option of DO")
		}
	}
	return out
}

func (c routines) createRoutine(n *pg.CreateFunctionStmt) ast.Statement {
	out := &ast.CreateRoutine{Name: c.nameOf(names(n.Funcname)), Replace: n.Replace, Procedure: n.IsProcedure,
		BodyPos: -1}
	for _, p := range n.Parameters {
		out.Params = append(out.Params, c.routineParam(p.GetFunctionParameter()))
	}
	if n.ReturnType != nil {
		t := c.routineType(n.ReturnType)
		out.Returns = &t
	}
	out.RoutineOptions = c.routineOptions(n.Options, out)
	if n.SqlBody != nil {
		if out.HasBody {
			c.fail(sqlerr.New(sqlerr.InvalidFunctionDefinition, "duplicate function body specified"))
		}
		out.Body, out.HasBody, out.Statements = c.sqlBody(n.SqlBody), true, true
	}
	return out
}

// sqlBody is the text of the statements of a body in SQL's own syntax: RETURN or BEGIN ATOMIC. RETURN is a SELECT.
func (c routines) sqlBody(n *pg.Node) string {
	if r := n.GetReturnStmt(); r != nil {
		target := &pg.Node{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: r.Returnval}}}
		query := &pg.SelectStmt{TargetList: []*pg.Node{target}, LimitOption: pg.LimitOption_LIMIT_OPTION_DEFAULT,
			Op: pg.SetOperation_SETOP_NONE}
		return c.deparse(&pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: query}})
	}
	var texts []string
	for _, item := range n.GetList().GetItems() {
		switch {
		case item.GetList() != nil:
			texts = append(texts, c.sqlBody(item))
		case item.GetReturnStmt() != nil:
			texts = append(texts, c.sqlBody(item))
		default:
			texts = append(texts, c.deparse(item))
		}
	}
	return strings.Join(texts, ";\n")
}

var paramModes = map[pg.FunctionParameterMode]ast.ParamMode{
	pg.FunctionParameterMode_FUNC_PARAM_IN: ast.InParam, pg.FunctionParameterMode_FUNC_PARAM_DEFAULT: ast.InParam,
	pg.FunctionParameterMode_FUNC_PARAM_OUT: ast.OutParam, pg.FunctionParameterMode_FUNC_PARAM_INOUT: ast.InOutParam,
	pg.FunctionParameterMode_FUNC_PARAM_VARIADIC: ast.VariadicParam,
	pg.FunctionParameterMode_FUNC_PARAM_TABLE:    ast.TableParam,
}

func (c routines) routineParam(n *pg.FunctionParameter) ast.RoutineParam {
	out := ast.RoutineParam{Name: n.GetName(), Mode: paramModes[n.GetMode()], Type: c.routineType(n.GetArgType())}
	if n.GetDefexpr() != nil {
		out.Default, out.DefaultText = c.expr(n.GetDefexpr()), c.deparseExpr(n.GetDefexpr())
	}
	return out
}

// routineType is a type that may be a set, or that of a column.
func (c routines) routineType(n *pg.TypeName) ast.RoutineType {
	out := ast.RoutineType{Set: n.GetSetof()}
	if out.Set {
		n = proto.CloneOf(n)
		n.Setof = false
	}
	out.TypeName = c.declaredType(n)
	return out
}

// declaredType is a type that may be that of a column.
func (c routines) declaredType(n *pg.TypeName) ast.TypeName {
	if !n.GetPctType() {
		return c.typeName(n)
	}
	c.refuse(n.Setof || len(n.Typmods) > 0 || len(n.ArrayBounds) > 0, n, "a type made of that of a column")
	return ast.TypeName{Column: names(n.Names), Pos: c.at(n.Location)}
}

// routineOptions are the options of a function, each of which may stand there once.
func (c routines) routineOptions(list []*pg.Node, create *ast.CreateRoutine) (out ast.RoutineOptions) {
	seen := map[string]bool{}
	for _, n := range list {
		d := n.GetDefElem()
		c.refuse(d.GetDefnamespace() != "", n, "an option with a prefix")
		name := strings.ToLower(d.GetDefname())
		if seen[name] && name != "set" {
			c.fail(sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(int(c.at(d.GetLocation()))))
		}
		seen[name] = true
		text := func() *string { s := c.optionValue(d.GetArg()); return &s }
		flag := func() *bool { on := d.GetArg().GetBoolean().GetBoolval(); return &on }
		number := func() *float64 { f, _ := strconv.ParseFloat(*text(), 64); return &f }
		switch name {
		case "as":
			c.routineText(create, d)
		case "language":
			out.Language = text()
		case "volatility":
			out.Volatility = text()
		case "strict":
			out.Strict = flag()
		case "security":
			out.Definer = flag()
		case "leakproof":
			out.Leakproof = flag()
		case "cost":
			out.Cost = number()
		case "rows":
			out.Rows = number()
		case "parallel":
			out.Parallel = text()
		case "set":
			set, ok := c.set(d.GetArg().GetVariableSetStmt()).(*ast.Set)
			c.refuse(!ok, n, "this form of SET of a function")
			out.Settings = append(out.Settings, set)
		default:
			c.refuse(true, n, "the option "+strings.ToUpper(name)+" of a function")
		}
	}
	return out
}

// routineText notes the text of AS.
func (c routines) routineText(create *ast.CreateRoutine, d *pg.DefElem) {
	items := d.GetArg().GetList().GetItems()
	if create != nil { // ALTER has none
		create.Body, create.HasBody, create.BodyPos = items[0].GetString_().GetSval(), true, c.at(d.GetLocation())
		create.Symbol = len(items) > 1
	}
}

// findBody finds where the text of a function begins, behind the AS where the parser notes it. One that is written with
// escapes is not in the statement as it is.
func findBody(s ast.Statement, src source) {
	var at *ast.Pos
	var body string
	switch s := s.(type) {
	case *ast.CreateRoutine:
		at, body = &s.BodyPos, s.Body
	case *ast.Do:
		at, body = &s.BodyPos, s.Body
	}
	if at == nil || *at < 0 {
		return
	}
	rest := src.text[int(*at)-src.base:]
	i := strings.IndexAny(rest, "'$") + 1
	if i > 0 && rest[i-1] == '$' {
		i += strings.IndexByte(rest[i:], '$') + 1
	}
	if !strings.HasPrefix(rest[i:], body) {
		*at = -1
		return
	}
	*at += ast.Pos(i)
}

// signature is a function as statements name it.
func (c routines) signature(n *pg.ObjectWithArgs) ast.Signature {
	out := ast.Signature{Name: c.nameOf(names(n.GetObjname())), Any: n.GetArgsUnspecified()}
	for _, t := range n.GetObjargs() {
		of := ast.TypeName{} // NONE, of an operator
		if t.GetTypeName() != nil {
			of = c.declaredType(t.GetTypeName())
		}
		out.Args = append(out.Args, of)
	}
	if n.GetObjfuncargs() == nil {
		return out
	}
	var again []ast.TypeName // the same, among those that are given out
	for _, p := range n.GetObjfuncargs() {
		param := p.GetFunctionParameter()
		t := c.declaredType(param.GetArgType())
		c.refuse(param.GetDefexpr() != nil, param, "a default in the name of a function")
		if mode := paramModes[param.GetMode()]; mode != ast.OutParam && mode != ast.TableParam {
			again = append(again, t)
		}
	}
	c.refuse(!reflect.DeepEqual(out.Args, again), n, "arguments of two kinds")
	return out
}

// routine is what a statement names by types: a function, an operator, a cast. It is nil where it names something else.
func (c routines) routine(n *pg.Node) *ast.Signature {
	if list := n.GetList().GetItems(); len(list) == 2 && list[0].GetTypeName() != nil {
		if to := list[1].GetTypeName(); to != nil {
			return &ast.Signature{Args: []ast.TypeName{c.typeName(list[0].GetTypeName()), c.typeName(to)}}
		}
	}
	if n.GetObjectWithArgs() == nil {
		return nil
	}
	out := c.signature(n.GetObjectWithArgs())
	return &out
}
