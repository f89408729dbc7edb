// Documents that are awkward to hash, as JSON text.
export const documents = [
  '{}', '[]', 'null', 'true', '"x"', ' { "b" : 1 , "a" : [ ] } ',
  // order, at every depth, by UTF-16 code unit: U+10000 comes before U+FFFF
  '{"b":{"d":1,"c":{"z":[{"y":1,"x":2}],"a":0}},"a":2}',
  '{"\\uffff":1,"\\ud800\\udc00":2,"z":3,"":4}', '{"\uffff":1,"😀":2,"é":3,"e\u0301":4}',
  '{"10":1,"9":2,"1":3,"01":4,"-1":5,"1.5":6}', '{"aa":1,"a":2,"A":3,"_":4,"a\\u0000":5}',
  '{"__proto__":1,"constructor":2,"toString":3,"hasOwnProperty":4}', '{"__proto__":{"x":1},"a":{"__proto__":null}}',
  // equal keys: the last counts
  '{"a":1,"b":2,"a":3}', '{"a":1,"\\u0061":2}', '{"a":{"x":1},"a":{"y":2}}',
  // numbers
  '1e21', '1E21', '1e+21', '1e20', '100000000000000000000', '1000000000000000000000', '-0', '-0.0', '0e5', '-0e-5', '1.0', '10.50', '1e0',
  '0.000001', '0.0000001', '1e-6', '1e-7', '1.5e-7', '123456789012345680000', '123456789012345678901234567890', '9007199254740993', '9007199254740992',
  '0.1', '0.30000000000000004', '5e-324', '4.9406564584124654e-324', '2e-324', '1e-400', '1.7976931348623157e308', '1.7976931348623159e308', '1e400', '-1e400',
  '2.2250738585072011e-308', '2.2250738585072014e-308', '1.00000000000000011102230246251565', '5e-7', '-1.5', '1e23', '9.5e-7', '999999999999999900000',
  '[1,2.0,3e0,-4,0.5E1]', '{"wei":"1000000000000000000000","ape":1000.000000000000000001}', '4.35', '1e1', '144115188075855870', '8.41e21', '2.0919495182368195e19',
  // strings
  '"\\" \\\\ \\/ \\b\\f\\n\\r\\t"', '"\\u0000\\u001f\\u007f\\u0080\\u2028\\u2029\\ufeff"', '"/<>&\'"', '"\\u00e9\\u00E9é"', '"\\ud83d\\ude00 😀"',
  '"日本語 Ελληνικά עברית"', '"\\u202e abc"', '"\u2028"',
  // surrogates that stand alone
  '"\\ud800"', '"\\udc00"', '"\\uD800x"', '"\\udc00\\ud800"', '"\\ud800\\ud800\\udc00"', '"\\ud83d😀"', '{"\\ud800":1,"\\udfff":2,"\\ud7ff":3,"\\ue000":4}', '["\\uDBFF\\uDFFF","\\uDBFF"]',
  // a card and a receipt
  JSON.stringify({ version: '1.2.0', slug: 'floor-sweep', name: 'Floor sweep', constraints: { riskTier: 2, notes: 'no more than “three”\n' }, examples: [{ value: { max: 1e21, tiny: 1e-7 }, title: 'ünïcode' }] }, null, 2),
  '[' .repeat(100) + ']'.repeat(100),
]

// What JSON.parse refuses.
export const refused = ['', ' ', '{', '[1,]', '{"a":1,}', '{a:1}', "{'a':1}", '01', '1.', '.5', '+1', '1e', '-', 'NaN', 'Infinity', 'undefined', '"\n"', '"\\x"', '"\\u12"', '"\\u12g4"',
  '"a', '[1 2]', '{"a" 1}', '{"a":1 "b":2}', 'nul', 'True', '1 2', '\ufeff{}', '{1:2}', '[,1]', '{,}', '\u00a01', '"\t"', '[1}', '{]', '/*x*/1', '0x10', '1_000', '"\\u{61}"', '\\u0031']

export const versions = ['', '0.0.0', '1.2.0', '1.0-beta', '1.0.0.0+build.7']
export const traces = ['trace_1767225600000_ab12cd', 'a', 'trace_1767225600000_ab12cd.q_abcdefghij0123456789', 'träce ☃']
export const subjects = ['agent:local-cli', 'agent:ape-7', 'someone else', '', 'agent:"quoted" \\ <&>']
export const payloads = ['{}', 'null', '{"b":1,"a":[-0,1e21,"\\ud800"]}', '"text"', '{"subject":"other","payload":1}']
