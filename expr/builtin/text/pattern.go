package text

import (
	"strings"
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
)

// patternFunctions are LIKE and the regular expressions.
var patternFunctions = []*expr.Function{
	{Name: "textlike", Operator: "~~", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether a text is LIKE a pattern.", Fn2: TextLike(true), Bind: bindLike(true, runeWidth)},
	{Name: "textnlike", Operator: "!~~", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether a text is not LIKE a pattern.", Fn2: TextLike(false), Bind: bindLike(false, runeWidth)},
	{Name: "texticlike", Operator: "~~*", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether a text is LIKE a pattern, in any case.", Fn2: TextILike(true), Bind: bindILike(true)},
	{Name: "texticnlike", Operator: "!~~*", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether a text is not LIKE a pattern, in any case.", Fn2: TextILike(false), Bind: bindILike(false)},
	{Name: "bytealike", Operator: "~~", Args: pg.Sig{pg.Bytea, pg.Bytea}, Result: pg.Boolean, Doc: "Whether bytes are LIKE a pattern.", Fn2: byteaLike(true), Bind: bindLike(true, byteWidth)},
	{Name: "byteanlike", Operator: "!~~", Args: pg.Sig{pg.Bytea, pg.Bytea}, Result: pg.Boolean, Doc: "Whether bytes are not LIKE a pattern.", Fn2: byteaLike(false), Bind: bindLike(false, byteWidth)},
	{Name: "like", Args: pg.Sig{pg.Bytea, pg.Bytea}, Result: pg.Boolean, Doc: "Whether bytes are LIKE a pattern.", Fn2: byteaLike(true), Bind: bindLike(true, byteWidth)},
	{Name: "notlike", Args: pg.Sig{pg.Bytea, pg.Bytea}, Result: pg.Boolean, Doc: "Whether bytes are not LIKE a pattern.", Fn2: byteaLike(false), Bind: bindLike(false, byteWidth)},
	{Name: "like", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether a text is LIKE a pattern.", Fn2: TextLike(true), Bind: bindLike(true, runeWidth)},
	{Name: "notlike", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether a text is not LIKE a pattern.", Fn2: TextLike(false), Bind: bindLike(false, runeWidth)},
	{Name: "like_escape", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Doc: "LIKE pattern with another escape character, for the backslash.", Fn2: likeEscape},
	{Name: "like_escape", Args: pg.Sig{pg.Bytea, pg.Bytea}, Result: pg.Bytea, Doc: "LIKE pattern of bytes with another escape byte, for the backslash.", Fn2: byteaLikeEscape},
	{Name: "textregexeq", Operator: "~", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether a text matches a regular expression.", Fn2: TextRegex("", true)},
	{Name: "textregexne", Operator: "!~", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether a text does not match a regular expression.", Fn2: TextRegex("", false)},
	{Name: "texticregexeq", Operator: "~*", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether a text matches a regular expression, in any case.", Fn2: TextRegex("i", true)},
	{Name: "texticregexne", Operator: "!~*", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether a text does not match a regular expression, in any case.", Fn2: TextRegex("i", false)},
}

// TextLike makes LIKE, or NOT LIKE.
func TextLike(want bool) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		ok, err := like(c, a.Text(), b.Text(), runeWidth)
		return types.NewBool(ok == want), err
	}
}

// TextILike makes ILIKE, or NOT ILIKE.
func TextILike(want bool) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		s, err := lower(c, a.Text())
		if err != nil {
			return types.Null, err
		}
		pattern, err := lower(c, b.Text())
		if err != nil {
			return types.Null, err
		}
		ok, err := like(c, s, pattern, runeWidth)
		return types.NewBool(ok == want), err
	}
}

// lower is a text in lower case.
func lower(c *expr.Context, s string) (string, error) {
	if len(s) <= work.SmallBytes {
		return strings.ToLower(s), nil
	}
	v, err := c.MapPieces(s, CaseUnits, strings.ToLower)
	return v.Text(), err
}

func byteaLike(want bool) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		ok, err := like(c, a.Text(), b.Text(), byteWidth)
		return types.NewBool(ok == want), err
	}
}

func runeWidth(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	return size
}

func byteWidth(string) int { return 1 }

// likeUnits is the work of a step of a pattern.
const likeUnits = 8

// like matches a pattern in which % is any characters, _ is one (of the width that
// width says), and a backslash makes what follows stand for itself. A mismatch goes
// back to the last % only: a shorter match of what is before it can always be made
// longer. So it takes no more than the product of both lengths.
func like(c *expr.Context, s, pattern string, width func(string) int) (bool, error) {
	at, p := 0, 0           // where both are
	restart, after := 0, -1 // where to try again, and the pattern after the last %
	for at < len(s) {
		if err := c.Tick(likeUnits); err != nil {
			return false, err
		}
		step, size := 0, 0
		if p < len(pattern) {
			var err error
			if step, size, err = likeStep(s[at:], pattern[p:], width); err != nil {
				return false, err
			}
		}
		switch {
		case step > 0 && size == 0: // %
			if p += step; p == len(pattern) {
				return true, nil
			}
			restart, after = at, p
		case step > 0:
			at, p = at+size, p+step
		case after < 0:
			return false, nil
		default:
			restart += width(s[restart:])
			at, p = restart, after
		}
	}
	return strings.Trim(pattern[p:], "%") == "", nil
}

// likeStep matches one sign of the pattern: how long the sign is, 0 when it does not
// match, and how much of s it takes, 0 for %.
func likeStep(s, pattern string, width func(string) int) (step, size int, err error) {
	switch c := pattern[0]; {
	case c == '%':
		return 1, 0, nil
	case c == '_':
		return 1, width(s), nil
	case c == '\\' && len(pattern) == 1:
		return 0, 0, sqlerr.New(sqlerr.InvalidEscapeSequence, "LIKE pattern must not end with escape character")
	case c == '\\' && pattern[1] == s[0]:
		return 2, 1, nil
	case c != '\\' && c == s[0]:
		return 1, 1, nil
	}
	return 0, 0, nil
}

// likeEscape writes a pattern whose escape character is another, or none, with the
// backslash.
func likeEscape(c *expr.Context, a, b types.Value) (types.Value, error) {
	pattern, escape := a.Text(), b.Text()
	if utf8.RuneCountInString(escape) > 1 {
		return types.Null, sqlerr.New(sqlerr.InvalidEscapeSequence, "invalid escape string").
			WithHint("Escape string must be empty or one character.")
	}
	return escapedBy(c, pattern, escape)
}

func byteaLikeEscape(c *expr.Context, a, b types.Value) (types.Value, error) {
	if len(b.Bytes()) > 1 {
		return types.Null, sqlerr.New(sqlerr.InvalidEscapeSequence, "invalid escape string").
			WithHint("Escape string must be empty or one character.")
	}
	v, err := escapedBy(c, a.Text(), b.Text())
	return types.NewBytes(v.Bytes()), err
}

// escapedBy is a pattern whose escape character, none for an empty one, has become the
// backslash. It goes by bytes: no byte of a longer character is that of a shorter one.
func escapedBy(c *expr.Context, pattern, escape string) (types.Value, error) {
	if escape == `\` {
		return types.NewText(pattern), nil
	}
	out := c.Text(len(pattern))
	escaped := false
	for rest := pattern; rest != "" && out.Err == nil; {
		if escape != "" && !escaped && strings.HasPrefix(rest, escape) {
			out.Add(`\`)
			escaped, rest = true, rest[len(escape):]
			continue
		}
		if rest[0] == '\\' && !escaped {
			out.Add(`\`)
		}
		out.Add(rest[:1])
		escaped, rest = false, rest[1:]
	}
	return out.Value()
}
