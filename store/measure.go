package store

// Measured is a store that tells how it is. The metrics page says what the names mean.
type Measured interface {
	// Measures are numbers by their names, always the same names.
	Measures() map[string]float64
}
