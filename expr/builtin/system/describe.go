package system

import (
	"fmt"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/pgproc"
	"zproxy/sqlerr"
	"zproxy/types"
)

// describeFunctions tell what pg_proc has of functions.
var describeFunctions = []*expr.Function{
	{Name: "pg_get_function_arguments", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Arguments of a function, with their defaults.", Fn1: describe(func(p *pgproc.Proc) string { return p.Arguments })},
	{Name: "pg_get_function_identity_arguments", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Arguments of a function, as far as they tell it from others.", Fn1: describe(func(p *pgproc.Proc) string { return p.Identity })},
	{Name: "pg_get_function_result", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Type of the result of a function.", Fn1: describe(func(p *pgproc.Proc) string { return p.ResultText })},
	{Name: "pg_get_function_arg_default", Args: pg.Sig{pg.OID, pg.Int4}, Result: pg.Text, Volatility: expr.Stable, Doc: "Default of an argument of a function, by its place.", Fn2: argumentDefault},
	{Name: "pg_get_function_sqlbody", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Body of a function that is written in SQL's own syntax.", Fn1: describeOrNull(func(p *pgproc.Proc) string { return p.Body })},
	{Name: "pg_get_functiondef", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Statement that would make a function.", Fn1: functionDefinition},
}

func proc(c *expr.Context, oid types.Value) *pgproc.Proc {
	if o := objectOf(c, classFunction, oid.Int()); o != nil {
		return o.Proc
	}
	return nil
}

func describe(text func(p *pgproc.Proc) string) expr.Function1 {
	return func(c *expr.Context, a types.Value) (types.Value, error) {
		if p := proc(c, a); p != nil {
			return types.NewText(text(p)), nil
		}
		return types.Null, nil
	}
}

func describeOrNull(text func(p *pgproc.Proc) string) expr.Function1 {
	return func(c *expr.Context, a types.Value) (types.Value, error) {
		if p := proc(c, a); p != nil {
			return orNull(text(p)), nil
		}
		return types.Null, nil
	}
}

// argumentDefault counts arguments from 1.
func argumentDefault(c *expr.Context, a, ordinal types.Value) (types.Value, error) {
	p := proc(c, a)
	if p == nil {
		return types.Null, nil
	}
	at := int(ordinal.Int()) - 1 - len(p.Args) + len(p.Defaults)
	if at < 0 || at >= len(p.Defaults) {
		return types.Null, nil
	}
	return types.NewText(p.Defaults[at]), nil
}

func functionDefinition(c *expr.Context, a types.Value) (types.Value, error) {
	p := proc(c, a)
	switch {
	case p == nil:
		return types.Null, nil
	case p.Kind == 'a':
		return types.Null, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is an aggregate function", p.Name)
	}
	return types.NewText(definition(p)), nil
}

var (
	languages = map[uint32]string{
		pgproc.InternalLanguage: "internal", 13: "c", 14: "sql", pgproc.PLpgSQLLanguage: "plpgsql",
	}
	volatilities = map[byte]string{'i': " IMMUTABLE", 's': " STABLE"}
	parallels    = map[byte]string{'s': " PARALLEL SAFE", 'r': " PARALLEL RESTRICTED"}
)

// definition is the CREATE FUNCTION, as pg_get_functiondef prints it.
func definition(p *pgproc.Proc) string {
	var b strings.Builder
	kind, returns, tag := "FUNCTION", fmt.Sprintf(" RETURNS %s\n", p.ResultText), "$function"
	if p.Kind == 'p' {
		kind, returns, tag = "PROCEDURE", "", "$procedure"
	}
	fmt.Fprintf(&b, "CREATE OR REPLACE %s %s.%s(%s)\n%s LANGUAGE %s\n", kind,
		expr.QuoteIdent(p.Schema), expr.QuoteIdent(p.Name), p.Arguments, returns, languages[p.Language])
	if options := options(p); options != "" {
		b.WriteString(options + "\n")
	}
	for _, setting := range p.Settings {
		name, value, _ := strings.Cut(setting, "=")
		fmt.Fprintf(&b, " SET %s TO %s\n", expr.QuoteIdent(name), settingText(name, value))
	}
	if p.Body != "" {
		b.WriteString(p.Body + "\n")
		return b.String()
	}
	for strings.Contains(p.Source, tag) {
		tag += "x"
	}
	b.WriteString("AS " + tag + "$" + p.Source + tag + "$\n")
	return b.String()
}

// settingText is the value of a setting as SET takes it. Lists have names, each in quotes.
func settingText(name, value string) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	if name != "search_path" && name != "temp_tablespaces" {
		return quote(value)
	}
	var out []string
	for part := range strings.SplitSeq(value, ",") {
		out = append(out, quote(strings.Trim(strings.TrimSpace(part), `"`)))
	}
	return strings.Join(out, ", ")
}

func options(p *pgproc.Proc) string {
	options := ""
	if p.Kind == 'w' {
		options = " WINDOW"
	}
	options += volatilities[p.Volatility] + parallels[p.Parallel]
	if p.Strict {
		options += " STRICT"
	}
	if p.Leakproof {
		options += " LEAKPROOF"
	}
	if p.Definer {
		options += " SECURITY DEFINER"
	}
	cost := 100.0
	if p.Language == pgproc.InternalLanguage {
		cost = 1
	}
	if p.Cost != cost {
		options += fmt.Sprintf(" COST %g", p.Cost)
	}
	if p.Rows > 0 && p.Rows != 1000 {
		options += fmt.Sprintf(" ROWS %g", p.Rows)
	}
	if p.Support != "" {
		options += " SUPPORT " + p.Support
	}
	return options
}
