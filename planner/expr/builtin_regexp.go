package expr

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types"
)

// maxRegexps bounds the compiled patterns that a Context keeps; a statement that makes
// its patterns from data would fill the memory otherwise.
const maxRegexps = 128

// regexCache is the compiled patterns of a Context.
type regexCache map[regexKey]*regexp.Regexp

type regexKey struct{ pattern, flags string }

// regex is the compiled pattern for flags, kept for the next row.
func (c *Context) regex(pattern, flags string) (*regexp.Regexp, error) {
	key := regexKey{pattern, flags}
	if re, ok := c.regexps[key]; ok {
		return re, nil
	}
	re, err := compileRegex(pattern, flags)
	if err != nil {
		return nil, err
	}
	if c.regexps == nil || len(c.regexps) >= maxRegexps {
		c.regexps = make(regexCache)
	}
	c.regexps[key] = re
	return re, nil
}

// compileRegex compiles PostgreSQL's advanced regular expression. Go's package matches
// in linear time, and therefore knows neither back references nor lookaround.
func compileRegex(pattern, flags string) (*regexp.Regexp, error) {
	mode := "s" // a dot takes newlines, too
	for _, flag := range flags {
		switch flag {
		case 'i':
			mode += "i"
		case 'c', 'g', 's':
		case 'n', 'm':
			mode = strings.ReplaceAll(mode, "s", "m")
		case 'p':
			mode = strings.ReplaceAll(mode, "s", "")
		case 'w':
			mode += "m"
		default:
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "invalid regular expression option: \"%c\"", flag)
		}
	}
	if literal, ok := strings.CutPrefix(pattern, "***="); ok {
		pattern = regexp.QuoteMeta(literal)
	} else if translated, err := translateRegex(pattern); err != nil {
		return nil, err
	} else {
		pattern = translated
	}
	if mode != "" {
		pattern = "(?" + mode + ")" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, regexError(err)
	}
	if !lazy(pattern) {
		re.Longest()
	}
	return re, nil
}

// lazy says whether a pattern has a non-greedy quantifier; all others prefer the
// longest match.
func lazy(pattern string) bool {
	for _, sign := range []string{"*?", "+?", "??", "}?"} {
		if strings.Contains(pattern, sign) {
			return true
		}
	}
	return false
}

// translateRegex spells the escapes that Go calls otherwise.
func translateRegex(pattern string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '\\' || i+1 == len(pattern) {
			out.WriteByte(pattern[i])
			continue
		}
		i++
		switch c := pattern[i]; c {
		case 'y':
			out.WriteString(`\b`)
		case 'Y':
			out.WriteString(`\B`)
		case 'Z':
			out.WriteString(`\z`)
		case 'm', 'M':
			return "", sqlerr.Unsupported("\\%c in a regular expression", c)
		case '1', '2', '3', '4', '5', '6', '7', '8', '9':
			return "", sqlerr.Unsupported("a back reference in a regular expression")
		default:
			out.WriteString(pattern[i-1 : i+1])
		}
	}
	return out.String(), nil
}

// regexError says what is wrong in PostgreSQL's words.
func regexError(err error) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return sqlerr.Wrap(err, sqlerr.InvalidRegularExpression, "invalid regular expression: %s", err)
	}
	reason := "invalid regexp (reg version 0.8)"
	switch bad.Code {
	case syntax.ErrInvalidPerlOp:
		return sqlerr.Unsupported("lookaround in a regular expression")
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		reason = "parentheses () not balanced"
	case syntax.ErrMissingBracket:
		reason = "brackets [] not balanced"
	case syntax.ErrMissingRepeatArgument, syntax.ErrInvalidRepeatOp:
		reason = "quantifier operand invalid"
	case syntax.ErrInvalidRepeatSize:
		reason = "invalid repetition count(s)"
	case syntax.ErrInvalidCharRange:
		reason = "invalid character range"
	case syntax.ErrInvalidEscape, syntax.ErrTrailingBackslash:
		reason = "invalid escape \\ sequence"
	case syntax.ErrLarge, syntax.ErrNestingDepth:
		reason = "regular expression is too complex"
	}
	return sqlerr.Wrap(err, sqlerr.InvalidRegularExpression, "invalid regular expression: %s", reason)
}

func textRegex(flags string, want bool) function2 {
	return func(c *Context, a, b types.Value) (types.Value, error) {
		re, err := c.regex(b.Text(), flags)
		if err != nil {
			return types.Null, err
		}
		return types.NewBool(re.MatchString(a.Text()) == want), nil
	}
}

func regexpLike(c *Context, args []types.Value) (types.Value, error) {
	flags := args[2].Text()
	if strings.Contains(flags, "g") {
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue,
			"regexp_like() does not support the \"global\" option")
	}
	return textRegex(flags, true)(c, args[0], args[1])
}

func substringRegex(c *Context, a, b types.Value) (types.Value, error) {
	re, err := c.regex(b.Text(), "")
	if err != nil {
		return types.Null, err
	}
	found := re.FindStringSubmatchIndex(a.Text())
	if found == nil {
		return types.Null, nil
	}
	if len(found) > 2 {
		found = found[2:]
	}
	if found[0] < 0 {
		return types.Null, nil
	}
	return types.NewText(a.Text()[found[0]:found[1]]), nil
}

func regexpReplace(c *Context, args []types.Value) (types.Value, error) {
	s, flags := args[0].Text(), ""
	if len(args) == 4 {
		flags = args[3].Text()
		if flags != "" && '0' <= flags[0] && flags[0] <= '9' {
			return types.Null, sqlerr.New(sqlerr.InvalidParameterValue,
				"invalid regular expression option: \"%c\"", flags[0]).
				WithHint("If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.")
		}
	}
	re, err := c.regex(args[1].Text(), flags)
	if err != nil {
		return types.Null, err
	}
	most := 1
	if strings.Contains(flags, "g") {
		most = -1
	}
	var out strings.Builder
	end := 0
	for _, match := range re.FindAllStringSubmatchIndex(s, most) {
		out.WriteString(s[end:match[0]])
		expandReplacement(&out, args[2].Text(), s, match)
		end = match[1]
	}
	out.WriteString(s[end:])
	return types.NewText(out.String()), checkLength(out.Len())
}

// expandReplacement puts a match in for \& and its groups for \1 to \9.
func expandReplacement(out *strings.Builder, template, s string, match []int) {
	for i := 0; i < len(template); i++ {
		if template[i] != '\\' || i+1 == len(template) {
			out.WriteByte(template[i])
			continue
		}
		i++
		group, err := strconv.Atoi(template[i : i+1])
		switch {
		case template[i] == '&':
			group = 0
		case template[i] == '\\':
			out.WriteByte('\\')
			continue
		case err != nil || group == 0:
			out.WriteString(template[i-1 : i+1])
			continue
		}
		if 2*group < len(match) && match[2*group] >= 0 {
			out.WriteString(s[match[2*group]:match[2*group+1]])
		}
	}
}
