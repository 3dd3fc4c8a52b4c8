package text

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/regex"
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
)

// regexpFunctions are those of regular expressions that have no operator.
var regexpFunctions = []*expr.Function{
	{Name: "regexp_like", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether a text matches a regular expression.", Fn2: TextRegex("", true)},
	{Name: "regexp_like", Args: pg.Sig{pg.Text, pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether a text matches a regular expression with flags.", FnN: regexpLike},
	{Name: "regexp_replace", Args: pg.Sig{pg.Text, pg.Text, pg.Text}, Result: pg.Text, Doc: "Text with the first match of a regular expression replaced.", FnN: regexpReplace},
	{Name: "regexp_replace", Args: pg.Sig{pg.Text, pg.Text, pg.Text, pg.Text}, Result: pg.Text, Doc: "Text with the first match, or all with flag g, of a regular expression replaced.", FnN: regexpReplace},
	{Name: "regexp_replace", Args: pg.Sig{pg.Text, pg.Text, pg.Text, pg.Int4}, Result: pg.Text, Doc: "Text with the first match from a position replaced.", FnN: regexpReplaceFrom},
	{Name: "regexp_replace", Args: pg.Sig{pg.Text, pg.Text, pg.Text, pg.Int4, pg.Int4}, Result: pg.Text, Doc: "Text with one match, or all for 0, from a position replaced.", FnN: regexpReplaceFrom},
	{Name: "regexp_replace", Args: pg.Sig{pg.Text, pg.Text, pg.Text, pg.Int4, pg.Int4, pg.Text}, Result: pg.Text, Doc: "Text with one match, or all for 0, from a position replaced, with flags.", FnN: regexpReplaceFrom},
	{Name: "regexp_count", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Int4, Doc: "Number of matches.", FnN: regexpCount},
	{Name: "regexp_count", Args: pg.Sig{pg.Text, pg.Text, pg.Int4}, Result: pg.Int4, Doc: "Number of matches from a position.", FnN: regexpCount},
	{Name: "regexp_count", Args: pg.Sig{pg.Text, pg.Text, pg.Int4, pg.Text}, Result: pg.Int4, Doc: "Number of matches from a position, with flags.", FnN: regexpCount},
	{Name: "regexp_instr", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Int4, Doc: "Position of the first match, or 0.", FnN: regexpInstr},
	{Name: "regexp_instr", Args: pg.Sig{pg.Text, pg.Text, pg.Int4}, Result: pg.Int4, Doc: "Position of the first match from a position, or 0.", FnN: regexpInstr},
	{Name: "regexp_instr", Args: pg.Sig{pg.Text, pg.Text, pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Position of a match from a position, or 0.", FnN: regexpInstr},
	{Name: "regexp_instr", Args: pg.Sig{pg.Text, pg.Text, pg.Int4, pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Position of a match, or the one behind it, or 0.", FnN: regexpInstr},
	{Name: "regexp_instr", Args: pg.Sig{pg.Text, pg.Text, pg.Int4, pg.Int4, pg.Int4, pg.Text}, Result: pg.Int4, Doc: "Position of a match, or the one behind it, or 0, with flags.", FnN: regexpInstr},
	{Name: "regexp_instr", Args: pg.Sig{pg.Text, pg.Text, pg.Int4, pg.Int4, pg.Int4, pg.Text, pg.Int4}, Result: pg.Int4, Doc: "Position of a match or a group of it, or the one behind it, or 0, with flags.", FnN: regexpInstr},
	{Name: "regexp_substr", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Doc: "First match.", FnN: regexpSubstr},
	{Name: "regexp_substr", Args: pg.Sig{pg.Text, pg.Text, pg.Int4}, Result: pg.Text, Doc: "First match from a position.", FnN: regexpSubstr},
	{Name: "regexp_substr", Args: pg.Sig{pg.Text, pg.Text, pg.Int4, pg.Int4}, Result: pg.Text, Doc: "One of the matches from a position.", FnN: regexpSubstr},
	{Name: "regexp_substr", Args: pg.Sig{pg.Text, pg.Text, pg.Int4, pg.Int4, pg.Text}, Result: pg.Text, Doc: "One of the matches from a position, with flags.", FnN: regexpSubstr},
	{Name: "regexp_substr", Args: pg.Sig{pg.Text, pg.Text, pg.Int4, pg.Int4, pg.Text, pg.Int4}, Result: pg.Text, Doc: "One of the matches from a position, or a group of it, with flags.", FnN: regexpSubstr},
	{Name: "regexp_match", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.TextArray, Doc: "Groups of the first match, or all of it if there are none.", FnN: regexpMatch},
	{Name: "regexp_match", Args: pg.Sig{pg.Text, pg.Text, pg.Text}, Result: pg.TextArray, Doc: "Groups of the first match, or all of it if there are none, with flags.", FnN: regexpMatch},
	{Name: "regexp_matches", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.TextArray, Doc: "Groups of the first match, or all of it if there are none.", Rows: regexpMatches},
	{Name: "regexp_matches", Args: pg.Sig{pg.Text, pg.Text, pg.Text}, Result: pg.TextArray, Doc: "Groups of the first match, or of each with flag g, or all of it if there are none.", Rows: regexpMatches},
	{Name: "regexp_split_to_array", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.TextArray, Doc: "What is between the matches, as an array.", FnN: regexpSplit},
	{Name: "regexp_split_to_array", Args: pg.Sig{pg.Text, pg.Text, pg.Text}, Result: pg.TextArray, Doc: "What is between the matches, as an array, with flags.", FnN: regexpSplit},
	{Name: "regexp_split_to_table", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Doc: "What is between the matches, as rows.", Rows: regexpSplitRows},
	{Name: "regexp_split_to_table", Args: pg.Sig{pg.Text, pg.Text, pg.Text}, Result: pg.Text, Doc: "What is between the matches, as rows, with flags.", Rows: regexpSplitRows},
	{Name: "substring", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Doc: "Part of a text that matches a regular expression or its first group.", Fn2: substringRegex},
	{Name: "substring", Args: pg.Sig{pg.Text, pg.Text, pg.Text}, Result: pg.Text, Doc: "Part of a text that the marked part of a pattern of SIMILAR TO matches.", FnN: substringSimilar},
	{Name: "similar_to_escape", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Regular expression for a pattern of SIMILAR TO.", Fn1: similarToEscape},
	{Name: "similar_to_escape", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Doc: "Regular expression for a pattern of SIMILAR TO with an escape character.", Fn2: similarToEscape2},
}

// Regex is the compiled pattern for flags, kept for the next row. The flag g is left to
// the caller.
func Regex(c *expr.Context, pattern, flags string) (*regex.Regexp, error) {
	key := work.Pattern{By: flags, Text: pattern}
	if re, ok := c.Patterns.Get(key).(*regex.Regexp); ok {
		return re, nil
	}
	opt := regex.Options{Tick: c.Tick}
	for _, flag := range flags {
		if flag == 'g' {
			continue
		}
		if err := opt.Set(flag); err != nil {
			return nil, err
		}
	}
	key = work.Pattern{By: strings.Clone(flags), Text: strings.Clone(pattern)} // which may be parts of batches
	re, err := regex.Compile(key.Text, opt)
	if err != nil {
		return nil, err
	}
	c.Patterns.Put(key, re, re.States())
	return re, nil
}

// TextRegex makes the match of a regular expression with some flags, or its opposite.
func TextRegex(flags string, want bool) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		re, err := Regex(c, b.Text(), flags)
		if err != nil {
			return types.Null, err
		}
		found, err := re.Match(a.Text())
		return types.NewBool(found == want), err
	}
}

// notGlobal refuses the flag g.
func notGlobal(function, flags string) error {
	if !strings.Contains(flags, "g") {
		return nil
	}
	err := sqlerr.New(sqlerr.InvalidParameterValue, "%s() does not support the \"global\" option", function)
	if function == "regexp_match" {
		return err.WithHint("Use the regexp_matches function instead.")
	}
	return err
}

func regexpLike(c *expr.Context, args []types.Value) (types.Value, error) {
	if err := notGlobal("regexp_like", args[2].Text()); err != nil {
		return types.Null, err
	}
	return TextRegex(args[2].Text(), true)(c, args[0], args[1])
}

func substringRegex(c *expr.Context, a, b types.Value) (types.Value, error) {
	re, err := Regex(c, b.Text(), "")
	if err != nil {
		return types.Null, err
	}
	found, err := re.Find(a.Text(), 0)
	if err != nil || found == nil {
		return types.Null, err
	}
	return group(a.Text(), found, min(re.Groups(), 1)), nil
}

// group is the text of a group of a match, NULL when it has no part in it.
func group(s string, match []int, number int) types.Value {
	if match[2*number] < 0 {
		return types.Null
	}
	return types.NewText(s[match[2*number]:match[2*number+1]])
}

// matches calls f for each match from a place, until it says false. Behind an empty one
// the search goes on a character later.
func matches(re *regex.Regexp, s string, from int, f func(match []int) (more bool)) error {
	for from <= len(s) {
		match, err := re.Find(s, from)
		if err != nil || match == nil || !f(match) {
			return err
		}
		if from = match[1]; match[0] == match[1] {
			_, size := utf8.DecodeRuneInString(s[from:])
			from += max(size, 1)
		}
	}
	return nil
}

// byteAt is the place of the character at a position from 1.
func byteAt(c *expr.Context, s string, position int64) (int, error) {
	if position <= 1 {
		return 0, nil
	}
	at, err := c.Offset(s, position-2)
	switch {
	case err != nil:
		return 0, err
	case at == len(s):
		return len(s) + 1, nil
	}
	_, size := utf8.DecodeRuneInString(s[at:])
	return at + size, nil
}

// optional are the arguments behind the pattern that most of these functions share.
type optional struct {
	start, n int64
	flags    string
}

func positive(name string, value, least int64) error {
	if value < least {
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter \"%s\": %d", name, value)
	}
	return nil
}

func regexpReplace(c *expr.Context, args []types.Value) (types.Value, error) {
	flags := ""
	if len(args) == 4 {
		flags = args[3].Text()
		if flags != "" && '0' <= flags[0] && flags[0] <= '9' {
			return types.Null, sqlerr.New(sqlerr.InvalidParameterValue,
				"invalid regular expression option: \"%c\"", flags[0]).
				WithHint("If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.")
		}
	}
	o := optional{start: 1, n: 1, flags: flags}
	if strings.Contains(flags, "g") {
		o.n = 0
	}
	return replaceMatches(c, args, o)
}

func regexpReplaceFrom(c *expr.Context, args []types.Value) (types.Value, error) {
	o := optional{start: args[3].Int(), n: 1}
	if err := positive("start", o.start, 1); err != nil {
		return types.Null, err
	}
	if len(args) > 4 {
		o.n = args[4].Int()
		if err := positive("n", o.n, 0); err != nil {
			return types.Null, err
		}
	}
	if len(args) > 5 {
		o.flags = args[5].Text()
	}
	return replaceMatches(c, args, o)
}

// replaceMatches replaces the n-th match, or all for 0.
func replaceMatches(c *expr.Context, args []types.Value, o optional) (types.Value, error) {
	s := args[0].Text()
	re, err := Regex(c, args[1].Text(), o.flags)
	if err != nil {
		return types.Null, err
	}
	out := c.Text(0)
	end, count := 0, int64(0)
	from, err := byteAt(c, s, o.start)
	if err != nil {
		return types.Null, err
	}
	err = matches(re, s, from, func(match []int) bool {
		if count++; o.n == 0 || count == o.n {
			out.Add(s[end:match[0]])
			expandReplacement(out, args[2].Text(), s, match)
			end = match[1]
		}
		return count != o.n && out.Err == nil
	})
	if err != nil {
		return types.Null, err
	}
	out.Add(s[end:])
	return out.Value()
}

// expandReplacement puts a match in for \& and its groups for \1 to \9.
func expandReplacement(out *work.Text, template, s string, match []int) {
	for i := 0; i < len(template) && out.Err == nil; i++ {
		if template[i] != '\\' || i+1 == len(template) {
			out.Add(template[i : i+1])
			continue
		}
		i++
		number, err := strconv.Atoi(template[i : i+1])
		switch {
		case template[i] == '&':
			number = 0
		case template[i] == '\\':
			out.Add(`\`)
			continue
		case err != nil || number == 0:
			out.Add(template[i-1 : i+1])
			continue
		}
		if 2*number < len(match) && match[2*number] >= 0 {
			out.Add(s[match[2*number]:match[2*number+1]])
		}
	}
}
