package text

import (
	"cmp"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// identFunctions read names.
var identFunctions = []*expr.Function{
	{Name: "parse_ident", Args: pg.Sig{pg.Text, pg.Boolean}, Result: types.OIDTextArray, Params: []string{"str", "strict"}, Defaults: []string{"true"}, Doc: "Parts of a dotted name; what follows it is an error, unless the second argument is false.", Fn2: parseIdent},
	{Name: "oidvectortypes", Args: pg.Sig{types.OIDOIDVector}, Result: pg.Text, Volatility: expr.Stable, Doc: "Names of types, by their numbers.", Fn1: oidVectorTypes},
}

// IdentSpace is what may stand around the parts of a name.
const IdentSpace = " \t\n\r\v\f"

func parseIdent(c *expr.Context, a, strict types.Value) (types.Value, error) {
	full := a.Text()
	invalid := sqlerr.New(sqlerr.InvalidParameterValue, "string is not a valid identifier: \"%s\"", full)
	parts := c.NewValues()
	rest := strings.TrimLeft(full, IdentSpace)
	for after := false; ; after = true {
		part, left, problem := cutIdentifier(rest)
		switch {
		case problem != "":
			return types.Null, invalid.WithDetail("%s", problem)
		case left == rest && strings.HasPrefix(rest, "."):
			return types.Null, invalid.WithDetail("No valid identifier before \".\".")
		case left == rest && after:
			return types.Null, invalid.WithDetail("No valid identifier after \".\".")
		case left == rest:
			return types.Null, invalid
		}
		if err := c.Tick(len(rest) - len(left)); err != nil || !parts.Add(types.NewText(part)) {
			return types.Null, cmp.Or(err, parts.Err)
		}
		rest = strings.TrimLeft(left, IdentSpace)
		if !strings.HasPrefix(rest, ".") {
			break
		}
		rest = strings.TrimLeft(rest[1:], IdentSpace)
	}
	if rest != "" && strict.Bool() {
		return types.Null, invalid
	}
	list, err := parts.All()
	if err != nil {
		return types.Null, err
	}
	return types.ArrayOfItems(pg.Text, list, c.Env)
}

// cutIdentifier reads an identifier from the start of a text; rest is the text itself if
// there is none. Quoted ones stay as they are, in others A to Z become small.
func cutIdentifier(s string) (ident, rest, problem string) {
	if !strings.HasPrefix(s, `"`) {
		end := 0
		for end < len(s) && identByte(s[end], end > 0) {
			end++
		}
		return asciiLower(s[:end]), s[end:], ""
	}
	var b strings.Builder
	for rest = s[1:]; ; rest = rest[1:] {
		before, after, closed := strings.Cut(rest, `"`)
		if !closed {
			return "", s, "String has unclosed double quotes."
		}
		b.WriteString(before)
		if rest = after; !strings.HasPrefix(rest, `"`) {
			break
		}
		b.WriteByte('"')
	}
	if b.Len() == 0 {
		return "", s, "Quoted identifier must not be empty."
	}
	return b.String(), rest, ""
}

func identByte(c byte, inside bool) bool {
	return c == '_' || c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z' || inside && (c == '$' || '0' <= c && c <= '9')
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func oidVectorTypes(c *expr.Context, a types.Value) (types.Value, error) {
	out := c.Text(0)
	for i, v := range a.Array().Items {
		if i > 0 {
			out.Add(", ")
		}
		if out.Add(typeName(types.OID(v.Int()))); out.Err != nil {
			break
		}
	}
	return out.Value()
}

// typeName is the name of a type by its number; 0 is none.
func typeName(of types.OID) string {
	if of == types.OIDInvalid {
		return "-"
	}
	return types.Of(of).String()
}
