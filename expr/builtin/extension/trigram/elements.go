package trigram

import (
	"math"
	"strings"
	"unicode"

	"zproxy/expr"
)

// Of is the different trigrams of a text, as an index has them.
func Of(c *expr.Context, s string) ([]string, error) {
	all, err := set(c, s)
	return texts(all), err
}

func texts(all []trigram) []string {
	out := make([]string, len(all))
	for i, t := range all {
		out[i] = string(t[:])
	}
	return out
}

// InPattern is the trigrams that every text has which a pattern of LIKE or ILIKE matches.
func InPattern(c *expr.Context, pattern string) ([]string, error) {
	var out []trigram
	for _, p := range pieces(pattern) {
		if err := c.Tick(32 * len(p.word)); err != nil {
			return nil, err
		}
		word := strings.ToLower(p.word)
		if p.begins {
			word = "  " + word
		}
		if p.ends {
			word += " "
		}
		starts := []int{}
		for at := range word {
			starts = append(starts, at)
		}
		starts = append(starts, len(word))
		for i := 0; i+3 < len(starts); i++ {
			out = append(out, made(word[starts[i]:starts[i+3]]))
		}
	}
	return texts(out), nil
}

// Within is the trigrams of every text that has another one in it.
func Within(c *expr.Context, s string) ([]string, error) {
	const any = "%"
	return InPattern(c, any+strings.NewReplacer(`\`, `\\`, any, `\`+any, "_", `\_`).Replace(s)+any)
}

// piece is a part of a word that a pattern wants as it is, and whether the word begins and ends with it.
type piece struct {
	word         string
	begins, ends bool
}

// pieces takes a pattern apart at wildcards, which may be parts of words, and between words.
func pieces(pattern string) (out []piece) {
	var word strings.Builder
	begins := true
	end := func(ends bool) {
		if word.Len() > 0 {
			out = append(out, piece{word.String(), begins, ends})
		}
		word.Reset()
		begins = ends
	}
	escaped := false
	for _, r := range pattern {
		switch {
		case r == '\\' && !escaped:
			escaped = true
			continue
		case (r == '%' || r == '_') && !escaped:
			end(false)
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			word.WriteRune(r)
		default:
			end(true)
		}
		escaped = false
	}
	end(true)
	return out
}

// Least is how many of so many trigrams of a text another one must have to be as alike as the session wants by the
// operator %.
func Least(c *expr.Context, all int) (int, error) { return threshold.least(c, all) }

// LeastOfWord is Least for the operator %>, whose text is on the right side.
func LeastOfWord(c *expr.Context, all int) (int, error) { return wordThreshold.least(c, all) }

// LeastOfWords is Least for the operator %>>, whose text is on the right side.
func LeastOfWords(c *expr.Context, all int) (int, error) { return strictThreshold.least(c, all) }

// least counts what a share of trigrams comes to: both texts together have no fewer than one of them.
func (l limit) least(c *expr.Context, all int) (int, error) {
	share, err := l.value(c)
	const rounding = 1e-6 // of the share of two numbers, which is a float4
	return int(math.Ceil((share - rounding) * float64(all))), err
}
