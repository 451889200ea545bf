/**
 * Goal: which URLs a route fits, what it answers, and which routes are refused.
 * Method: without a browser.
 */
import t from 'tap'
import { routeAnswer } from '../../../../node-agent/browser/routes/route-answers.ts'
import { chromiumPattern, fitsPattern } from '../../../../node-agent/browser/routes/url-patterns.ts'
import { commandLimits } from '../../../../proto/commands/limits.ts'
import { routeCommand, type RouteRule } from '../../../../proto/commands/page/routing.ts'

t.test('which URLs fit', (t) => {
  const url = 'https://a.example/api/cart?id=1'
  const fitting = ['*', url, '*/api/*', 'https://*/cart*', '*cart?id=1', '**a*a*i*', 'https*1']
  for (const pattern of fitting) t.ok(fitsPattern(pattern, url), pattern)
  const others = [
    '',
    '/api/*',
    '*/api',
    'https://a.example/api/cart',
    '*cart*cart*',
    '*Xid=1',
    `${url}*1`,
  ]
  for (const pattern of others) t.notOk(fitsPattern(pattern, url), pattern)
  t.notOk(fitsPattern('ab*ba', 'aba'), 'the ends do not overlap')
  t.notOk(
    fitsPattern('*a'.repeat(1_000) + '*b', 'a'.repeat(1_000_000)),
    'in time that does not explode',
  )
  t.equal(chromiumPattern(String.raw`*/a?b=\*`), String.raw`*/a\?b=\\*`)
  t.end()
})

const ruleOf = (given: object): RouteRule =>
  routeCommand.input.parse({ url: '*', ...given }) as RouteRule

t.test('types and headers of answers', (t) => {
  const headersOf = (given: object, sent: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(
      routeAnswer(ruleOf(given), { method: 'GET', headers: sent }).responseHeaders!.map(
        ({ name, value }) => [name, value],
      ),
    )
  const text = 'text/plain; charset=utf-8'
  t.same(headersOf({ body: '{"a": 1}' }), { 'content-type': 'application/json' })
  t.same(headersOf({ body: '[]' }), { 'content-type': 'application/json' })
  t.same(headersOf({ body: '12' }), { 'content-type': text })
  t.same(headersOf({ body: '{"a"' }), { 'content-type': text })
  t.same(headersOf({}), {})
  t.same(headersOf({ body: 'AAAA', base64: true }), {})
  t.same(headersOf({ content_type: 'text/css' }), { 'content-type': 'text/css; charset=utf-8' })
  t.same(headersOf({ content_type: 'text/css; charset=latin1' }), {
    'content-type': 'text/css; charset=latin1',
  })
  t.same(headersOf({ body: 'a', headers: { 'Content-Type': 'x/y' } }), { 'content-type': 'x/y' })
  const open = { 'access-control-allow-origin': 'https://a.example', vary: 'Origin' }
  t.match(headersOf({}, { Origin: 'https://a.example' }), open)
  t.end()
})

t.test('routes that make no sense are refused', (t) => {
  const wrong: Readonly<Record<string, object>> = {
    'no URL': { url: '' },
    'a method of nobody': { method: 'FETCH' },
    'a status that is none': { status: 99 },
    'a failure with a body': { abort: 'failed', body: 'a' },
    'a failure with a status': { abort: 'failed', status: 500 },
    'an unknown failure': { abort: 'sadness' },
    'a name that is no header': { headers: { 'a b': '1' } },
    'a value of two lines': { headers: { a: '1\r\nset-cookie: b=c' } },
    'a type of two lines': { content_type: 'text/html\nx: y' },
    'many headers': {
      headers: Object.fromEntries(
        Array.from({ length: commandLimits.routeHeaders + 1 }, (_, n) => [`h${n}`, '']),
      ),
    },
    'no base64': { base64: true, body: 'ä' },
    'a long body': { body: 'x'.repeat(commandLimits.routeBodyChars + 1) },
    'a long delay': { delay: commandLimits.routeDelayMs + 1 },
    'no request': { times: 0 },
  }
  for (const [what, given] of Object.entries(wrong)) {
    t.notOk(routeCommand.input.safeParse({ url: '*', ...given }).success, what)
  }
  const failing = { abort: 'timedout', delay: 10, times: 1, method: 'GET' }
  t.ok(routeCommand.input.safeParse({ url: '*', ...failing }).success)
  t.end()
})
