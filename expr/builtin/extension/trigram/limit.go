package trigram

import (
	"strconv"

	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/sqlerr"
	"zproxy/types"
)

// limit is a setting that says how alike texts must be, and what it is where nothing sets it.
type limit struct {
	setting string
	initial float64
}

var (
	threshold       = limit{"pg_trgm.similarity_threshold", 0.3}
	wordThreshold   = limit{"pg_trgm.word_similarity_threshold", 0.6}
	strictThreshold = limit{"pg_trgm.strict_word_similarity_threshold", 0.5}
)

// value is what a limit is in the session.
func (l limit) value(c *expr.Context) (float64, error) {
	text, ok := system.Setting(c, l.setting)
	if !ok {
		return l.initial, nil
	}
	of, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "parameter \"%s\" requires a numeric value", l.setting)
	case of < 0 || of > 1:
		return 0, sqlerr.New(sqlerr.InvalidParameterValue,
			"%s is outside the valid range for parameter \"%s\" (0 .. 1)", text, l.setting)
	}
	return of, nil
}

// enough compares how alike texts are with a limit.
func enough(m measure, l limit) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		least, err := l.value(c)
		if err != nil {
			return types.Null, err
		}
		of, err := m(c, a.Text(), b.Text())
		return types.NewBool(float64(of) >= least), err
	}
}

func showLimit(c *expr.Context) (types.Value, error) {
	of, err := threshold.value(c)
	return types.NewFloat(float64(float32(of))), err
}

func setLimit(c *expr.Context, a types.Value) (types.Value, error) {
	if a.Float() < 0 || a.Float() > 1 {
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue,
			"%g is outside the valid range for parameter \"%s\" (0 .. 1)", a.Float(), threshold.setting)
	}
	_, err := system.Set(c, threshold.setting, strconv.FormatFloat(a.Float(), 'g', -1, 32))
	return a, err
}
