package text

import (
	"strings"
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

func regexpCount(c *expr.Context, args []types.Value) (types.Value, error) {
	o := optional{start: 1}
	if len(args) > 2 {
		o.start = args[2].Int()
		if err := positive("start", o.start, 1); err != nil {
			return types.Null, err
		}
	}
	if len(args) > 3 {
		o.flags = args[3].Text()
	}
	if err := notGlobal("regexp_count", o.flags); err != nil {
		return types.Null, err
	}
	re, err := Regex(c, args[1].Text(), o.flags)
	if err != nil {
		return types.Null, err
	}
	count := int64(0)
	from, err := byteAt(c, args[0].Text(), o.start)
	if err != nil {
		return types.Null, err
	}
	err = matches(re, args[0].Text(), from, func([]int) bool {
		count++
		return true
	})
	return types.NewInt(count), err
}

// wantedMatch is what regexp_instr and regexp_substr look for.
type wantedMatch struct {
	optional
	behind int64 // 1 for the position behind it
	group  int64
}

func defaultMatch() wantedMatch { return wantedMatch{optional: optional{start: 1, n: 1}} }

// nth finds the n-th match from a position; nil if there is none, or not the group.
func (w *wantedMatch) nth(c *expr.Context, function string, args []types.Value) (match []int, err error) {
	if err := positive("start", w.start, 1); err != nil {
		return nil, err
	}
	if err := positive("n", w.n, 1); err != nil {
		return nil, err
	}
	if err := positive("endoption", w.behind, 0); err != nil {
		return nil, err
	}
	if w.behind > 1 {
		return nil, positive("endoption", w.behind, w.behind+1)
	}
	if err := positive("subexpr", w.group, 0); err != nil {
		return nil, err
	}
	if err := notGlobal(function, w.flags); err != nil {
		return nil, err
	}
	re, err := Regex(c, args[1].Text(), w.flags)
	if err != nil || w.group > max(int64(re.Groups()), 1) {
		return nil, err
	}
	if re.Groups() == 0 { // all of the match is the first group then
		w.group = 0
	}
	s, count := args[0].Text(), int64(0)
	from, err := byteAt(c, s, w.start)
	if err != nil {
		return nil, err
	}
	err = matches(re, s, from, func(m []int) bool {
		if count++; count == w.n {
			match = m
		}
		return count < w.n
	})
	return match, err
}

func regexpInstr(c *expr.Context, args []types.Value) (types.Value, error) {
	w := defaultMatch()
	for i, v := range args[2:] {
		switch i {
		case 0:
			w.start = v.Int()
		case 1:
			w.n = v.Int()
		case 2:
			w.behind = v.Int()
		case 3:
			w.flags = v.Text()
		case 4:
			w.group = v.Int()
		}
	}
	match, err := w.nth(c, "regexp_instr", args)
	if err != nil || match == nil || match[2*w.group] < 0 {
		return types.NewInt(0), err
	}
	before, err := c.Characters(args[0].Text()[:match[2*w.group+w.behind]])
	return types.NewInt(int64(before + 1)), err
}

func regexpSubstr(c *expr.Context, args []types.Value) (types.Value, error) {
	w := defaultMatch()
	for i, v := range args[2:] {
		switch i {
		case 0:
			w.start = v.Int()
		case 1:
			w.n = v.Int()
		case 2:
			w.flags = v.Text()
		case 3:
			w.group = v.Int()
		}
	}
	match, err := w.nth(c, "regexp_substr", args)
	if err != nil || match == nil {
		return types.Null, err
	}
	return group(args[0].Text(), match, int(w.group)), nil
}

func flagsOf(args []types.Value) string {
	if len(args) < 3 {
		return ""
	}
	return args[2].Text()
}

// groupsOf are the groups of a match as an array, or all of it if there are none.
func groupsOf(s string, match []int) (types.Value, error) {
	from := min(len(match)/2-1, 1)
	var items []types.Value
	for number := from; number < len(match)/2; number++ {
		items = append(items, group(s, match, number))
	}
	return types.ArrayOfItems(pg.Text, items, nil)
}

func regexpMatch(c *expr.Context, args []types.Value) (types.Value, error) {
	flags := flagsOf(args)
	if err := notGlobal("regexp_match", flags); err != nil {
		return types.Null, err
	}
	re, err := Regex(c, args[1].Text(), flags)
	if err != nil {
		return types.Null, err
	}
	match, err := re.Find(args[0].Text(), 0)
	if err != nil || match == nil {
		return types.Null, err
	}
	return groupsOf(args[0].Text(), match)
}

func regexpMatches(c *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		s, flags := args[0].Text(), flagsOf(args)
		re, err := Regex(c, args[1].Text(), flags)
		if err != nil {
			yield(nil, err)
			return
		}
		global := strings.Contains(flags, "g")
		err = matches(re, s, 0, func(match []int) bool {
			v, err := groupsOf(s, match)
			return yield(types.Row{v}, err) && global
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// splitMatches calls part for what is between the matches, until it says false. Empty
// ones at its ends and behind another match do not count.
func splitMatches(c *expr.Context, function string, args []types.Value, part func(types.Value) (more bool)) error {
	s, flags := args[0].Text(), flagsOf(args)
	if err := notGlobal(function, flags); err != nil {
		return err
	}
	re, err := Regex(c, args[1].Text(), flags)
	if err != nil {
		return err
	}
	end, more := 0, true
	err = matches(re, s, 0, func(match []int) bool {
		if match[0] < len(s) && match[1] > end {
			more = part(types.NewText(s[end:match[0]]))
			end = match[1]
		}
		return more
	})
	if err == nil && more {
		part(types.NewText(s[end:]))
	}
	return err
}

func regexpSplit(c *expr.Context, args []types.Value) (types.Value, error) {
	parts := c.NewValues()
	err := splitMatches(c, "regexp_split_to_array", args, parts.Add)
	if err != nil {
		return types.Null, err
	}
	list, err := parts.All()
	if err != nil {
		return types.Null, err
	}
	return types.ArrayOfItems(pg.Text, list, c.Env)
}

func regexpSplitRows(c *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		err := splitMatches(c, "regexp_split_to_table", args, func(part types.Value) bool {
			return yield(types.Row{part}, nil)
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

func substringSimilar(c *expr.Context, args []types.Value) (types.Value, error) {
	pattern, err := similarToEscape2(c, args[1], args[2])
	if err != nil {
		return types.Null, err
	}
	return substringRegex(c, args[0], pattern)
}

func similarToEscape(c *expr.Context, a types.Value) (types.Value, error) {
	return similar(c, a.Text(), `\`)
}

func similarToEscape2(c *expr.Context, a, b types.Value) (types.Value, error) {
	if utf8.RuneCountInString(b.Text()) > 1 {
		return types.Null, sqlerr.New(sqlerr.InvalidEscapeSequence, "invalid escape string").
			WithHint("Escape string must be empty or one character.")
	}
	return similar(c, a.Text(), b.Text())
}

// similar writes a pattern of SIMILAR TO as a regular expression. Two separators,
// escape and double quote, mark the part that substring takes.
func similar(c *expr.Context, pattern, escape string) (types.Value, error) {
	out := c.Text(len(pattern))
	out.Add("^(?:")
	escaped, brackets, marks := false, false, 0
	for _, r := range pattern {
		if out.Err != nil {
			break
		}
		switch c := string(r); {
		case escaped && c == `"` && !brackets:
			switch marks++; marks {
			case 1:
				out.Add("){1,1}?(")
			case 2:
				out.Add("){1,1}(?:")
			default:
				return types.Null, sqlerr.New(sqlerr.InvalidUseOfEscape,
					"SQL regular expression may not contain more than two escape-double-quote separators")
			}
			escaped = false
		case escaped:
			out.Add(`\` + c)
			escaped = false
		case c == escape:
			escaped = true
		case brackets:
			if c == `\` {
				out.Add(`\`)
			}
			out.Add(c)
			brackets = c != "]"
		case c == "[":
			out.Add(c)
			brackets = true
		case c == "%":
			out.Add(".*")
		case c == "_":
			out.Add(".")
		case c == "(":
			out.Add("(?:")
		case strings.Contains(`\.^$`, c):
			out.Add(`\` + c)
		default:
			out.Add(c)
		}
	}
	out.Add(")$")
	return out.Value()
}
