package types

import "zproxy/types/money"

// moneyTypes are the amounts of money, held as cents.
var moneyTypes = []Info{
	{
		OID: OIDMoney, Name: "money", SQL: "money", Array: 791,
		Kind: KindInt, Category: CategoryNumeric, Size: 8,
		forms: forms{
			appendText: appendMoney, parseText: parseMoney,
			appendBinary: appendBinaryInt8, parseBinary: parseBinaryInt8,
		},
	},
}

// moneyCasts are those with a function.
var moneyCasts = []castRow{
	{OIDInt4, OIDMoney, Cast{Assignment, intToMoney}},
	{OIDInt8, OIDMoney, Cast{Assignment, intToMoney}},
	{OIDNumeric, OIDMoney, Cast{Assignment, numericToMoney}},
	{OIDMoney, OIDNumeric, Cast{Assignment, moneyToNumeric}},
}

func appendMoney(dst []byte, v Value, _ *Env) []byte { return money.Append(dst, v.Int()) }

func parseMoney(s string, _ *Env) (Value, error) { return intValue(money.Parse(s)) }

func intToMoney(v Value, _ T, _ *Env) (Value, error) { return intValue(money.FromInt(v.Int())) }

func numericToMoney(v Value, _ T, _ *Env) (Value, error) {
	return intValue(money.FromNumeric(v.Numeric()))
}

func moneyToNumeric(v Value, _ T, _ *Env) (Value, error) {
	return NewNumeric(money.Numeric(v.Int())), nil
}
