package money

import "strings"

var small = []string{
	"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
	"fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
}

var tens = []string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}

// thousands are the powers of a thousand, from the greatest that an amount has.
var thousands = []struct {
	cents uint64
	word  string
}{
	{Unit * 1e15, " quadrillion "}, {Unit * 1e12, " trillion "}, {Unit * 1e9, " billion "}, {Unit * 1e6, " million "},
	{Unit * 1e3, " thousand "}, {Unit, ""},
}

// Words is an amount in words, as on a cheque.
func Words(cents int64) string {
	var b strings.Builder
	rest := uint64(cents)
	if cents < 0 {
		b.WriteString("minus ")
		rest = -rest
	}
	whole := rest / Unit
	for _, t := range thousands {
		if n := rest / t.cents % 1000; n > 0 {
			b.WriteString(below1000(n) + t.word)
		}
	}
	if whole == 0 {
		b.WriteString("zero")
	}
	b.WriteString(counted(whole, " dollar") + " and " + below1000(rest%Unit) + counted(rest%Unit, " cent"))
	s := b.String()
	return strings.ToUpper(s[:1]) + s[1:]
}

func counted(n uint64, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// below1000 is a number below a thousand in words.
func below1000(n uint64) string {
	switch rest := n % 100; {
	case n < 20:
		return small[n]
	case rest == 0:
		return small[n/100] + " hundred"
	case n > 100 && n%10 == 0 && rest > 10:
		return small[n/100] + " hundred " + tens[rest/10]
	case n > 100 && rest < 20:
		return small[n/100] + " hundred and " + small[rest]
	case n > 100:
		return small[n/100] + " hundred " + tens[rest/10] + " " + small[rest%10]
	case n%10 == 0:
		return tens[n/10]
	}
	return tens[n/10] + " " + small[n%10]
}
