package form

// Work is what bounds a long computation: an error ends it. Where a function takes a Work, nil bounds nothing.
type Work interface {
	// Tick counts n units of work, about a byte copied or a comparison each.
	Tick(n int) error
	// Make is called before a value of so many bytes is made.
	Make(bytes int64) error
}

// Tick counts n units of work, where there is a Work.
func Tick(w Work, n int) error {
	if w == nil {
		return nil
	}
	return w.Tick(n)
}

// Make asks w before a value of so many bytes is made, where there is a Work.
func Make(w Work, bytes int64) error {
	if w == nil {
		return nil
	}
	return w.Make(bytes)
}

// PieceBytes is how much of a text is worked on between two ticks.
const PieceBytes = 16 << 10

// Pieces calls f for the parts of a text, of which none is long. They begin anywhere.
func Pieces(w Work, s string, f func(piece string)) error {
	for s != "" {
		n := min(PieceBytes, len(s))
		if err := Tick(w, 2*n); err != nil {
			return err
		}
		f(s[:n])
		s = s[n:]
	}
	return nil
}
