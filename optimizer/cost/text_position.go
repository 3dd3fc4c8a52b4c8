package cost

// textPositions places three texts on a line, of which the last one lies between the others: behind
// what they begin with alike, as fractions in a number system whose digits are the characters that
// such texts seem to consist of.
func textPositions(low, high, text string) (a, b, x float64) {
	low, high, text = behindPrefix(low, high, text)
	d := digits{least: 255}
	d.widen(low)
	d.widen(high)
	d.widen(text)
	return d.fraction(low), d.fraction(high), d.fraction(text)
}

// bytePositions is the same for bytes of any kind.
func bytePositions(low, high, bytes string) (a, b, x float64) {
	low, high, bytes = behindPrefix(low, high, bytes)
	d := digits{most: 255}
	return d.fraction(low), d.fraction(high), d.fraction(bytes)
}

// behindPrefix cuts off what three texts begin with alike.
func behindPrefix(a, b, c string) (string, string, string) {
	n := 0
	for n < len(a) && n < len(b) && n < len(c) && a[n] == b[n] && a[n] == c[n] {
		n++
	}
	return a[n:], b[n:], c[n:]
}

// digits are the bytes between two.
type digits struct{ least, most byte }

// widen takes in the bytes of a text. Where one is a letter or a digit, all of its kind are.
func (d *digits) widen(s string) {
	for i := range len(s) {
		least, most := s[i], s[i]
		for _, class := range []digits{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}} {
			if class.least <= s[i] && s[i] <= class.most {
				least, most = class.least, class.most
			}
		}
		d.least, d.most = min(d.least, least), max(d.most, most)
	}
}

// fraction reads a text as a fraction. Its end is a digit below all others.
func (d *digits) fraction(s string) float64 {
	const enough = 12 // more change nothing in a float64
	base := float64(d.most) - float64(d.least) + 2
	f, scale := 0.0, 1.0
	for i := range min(len(s), enough) {
		scale /= base
		f += (float64(s[i]) - float64(d.least) + 1) * scale
	}
	return f
}
