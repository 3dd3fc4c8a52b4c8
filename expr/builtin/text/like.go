package text

import (
	"slices"
	"strings"
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/types"
)

// likeTest says whether a text is LIKE one pattern.
type likeTest func(s string) (bool, error)

// compileLike prepares a pattern for many texts. Without _ it is texts between any characters: the first begins the
// text, the last ends it, and of each other one the first place behind the one before leaves most room for what
// follows.
func compileLike(c *expr.Context, pattern string, width func(string) int) likeTest {
	parts, ok := likeTexts(pattern)
	switch last := len(parts) - 1; {
	case !ok:
		return func(s string) (bool, error) { return like(c, s, pattern, width) }
	case last == 0:
		return func(s string) (bool, error) { return s == parts[0], nil }
	default:
		first, middle, end := parts[0], slices.DeleteFunc(parts[1:last], isEmpty), parts[last]
		return func(s string) (bool, error) { return likeParts(c, s, first, middle, end) }
	}
}

func isEmpty(s string) bool { return s == "" }

// likeTexts are the texts between the % of a pattern, as they are without escapes. It says false of a pattern that has
// an _, or ends with an escape character: that is an error only where a text is compared so far.
func likeTexts(pattern string) (texts []string, ok bool) {
	var text strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '_':
			return nil, false
		case '%':
			texts = append(texts, text.String())
			text.Reset()
			continue
		case '\\':
			if i++; i == len(pattern) {
				return nil, false
			}
		}
		text.WriteByte(pattern[i])
	}
	return append(texts, text.String()), true
}

func likeParts(c *expr.Context, s, first string, middle []string, end string) (bool, error) {
	if len(s) < len(first)+len(end) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, end) {
		return false, nil
	}
	s = s[len(first) : len(s)-len(end)]
	for _, part := range middle {
		at, err := c.IndexIn(s, part)
		if at < 0 || err != nil {
			return false, err
		}
		s = s[at+len(part):]
	}
	return true, nil
}

// bindLike is the test of a function whose pattern is fixed.
func bindLike(want bool, width func(string) int) func(c *expr.Context, pattern types.Value) expr.Test {
	return func(c *expr.Context, pattern types.Value) expr.Test {
		test := compileLike(c, pattern.Text(), width)
		return func(v types.Value) (bool, error) {
			ok, err := test(v.Text())
			return ok == want, err
		}
	}
}

// bindILike is bindLike in any case.
func bindILike(want bool) func(c *expr.Context, pattern types.Value) expr.Test {
	return func(c *expr.Context, pattern types.Value) expr.Test {
		lowered, err := lower(c, pattern.Text())
		test := compileLike(c, lowered, runeWidth)
		return func(v types.Value) (bool, error) {
			if err != nil {
				return false, err
			}
			s, err := lower(c, v.Text())
			if err != nil {
				return false, err
			}
			ok, err := test(s)
			return ok == want, err
		}
	}
}

// RegexpPrefix is what all texts begin with that a regular expression matches: the letters behind its ^.
func RegexpPrefix(pattern string) string {
	rest, ok := strings.CutPrefix(pattern, "^")
	if !ok || strings.Contains(rest, "|") {
		return ""
	}
	rest = strings.TrimPrefix(rest, "(?:") // SIMILAR TO is written so
	end := strings.IndexAny(rest, `\.[]()*+?{}^$`)
	if end < 0 {
		return rest
	}
	if strings.IndexByte("*+?{", rest[end]) >= 0 { // which are about the letter before
		_, size := utf8.DecodeLastRuneInString(rest[:end])
		end -= size
	}
	return rest[:end]
}

// LikePrefix is the literal beginning of a LIKE pattern and what follows it.
func LikePrefix(pattern string) (prefix, rest string) {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '%', '_':
			return b.String(), pattern[i:]
		case '\\':
			if i+1 == len(pattern) {
				return b.String(), pattern[i:]
			}
			i++
		}
		b.WriteByte(pattern[i])
	}
	return b.String(), ""
}
