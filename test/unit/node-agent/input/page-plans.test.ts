/** Goal: URLs, keys and pictures are computed correctly, without a browser. */
import t from 'tap'
import { inflateSync } from 'node:zlib'
import { encodePng } from '../../../../node-agent/png/encode.ts'
import { toNavigationUrl } from '../../../../runtime/browser-host/navigation-url.ts'
import { pageKeyOfName, withShift, strokeOf } from '../../../../node-agent/page/input/page-keys.ts'
import { pngSize } from '../../../helpers/files/png.ts'

t.test('a URL without a scheme is https, on loopback and by IP number http', async (t) => {
  for (const [given, address] of [
    ['example.com', 'https://example.com/'],
    ['  example.com:8080/a?b#c ', 'https://example.com:8080/a?b#c'],
    ['//example.com/x', 'https://example.com/x'],
    ['localhost:3000', 'http://localhost:3000/'],
    ['app.localhost', 'http://app.localhost/'],
    ['127.0.0.1', 'http://127.0.0.1/'],
    ['[::1]:80/x', 'http://[::1]/x'],
    ['10.0.0.1:443', 'http://10.0.0.1:443/'],
    ['HTTP://example.com', 'http://example.com/'],
    ['about:blank', 'about:blank'],
    ['data:text/html,hi', 'data:text/html,hi'],
    ['münchen.de', 'https://xn--mnchen-3ya.de/'],
  ] as const) {
    t.equal(toNavigationUrl(given), address, given)
  }
  const wrong = ['', ' ', 'a b', 'http://', 'javascript:1', 'JavaScript:alert(1)', 'file:///etc']
  for (const given of [...wrong, 'chrome://settings', 'view-source:http://a', 'ftp://a', '/path']) {
    t.throws(() => toNavigationUrl(given), { type: 'bad_request', message: /^url / }, given)
  }
})

t.test('every key of the contract is a key in the page', async (t) => {
  const names = 'Space Home End Tab Up Down Left Right PageUp PageDown Control Ctrl Alt Shift'
  const more = 'CapsLock NumLock Enter Return Backspace Delete Escape Esc Insert Ins Command Cmd'
  const functions = Array.from({ length: 12 }, (_, i) => `F${i + 1}`)
  for (const name of [...names.split(' '), ...more.split(' '), 'Windows', 'Win', ...functions]) {
    t.ok(pageKeyOfName(name).keyCode > 0, name)
  }
  for (const name of 'abcdefghijklmnopqrstuvwxyz0123456789') {
    t.equal(pageKeyOfName(name.toUpperCase()).text, name)
  }
  t.same(pageKeyOfName('Up'), { key: 'ArrowUp', code: 'ArrowUp', keyCode: 38 })
  t.throws(() => pageKeyOfName('Nope'), { type: 'bad_request', message: /Nope/ })
})

t.test('characters are keystrokes of a US keyboard, or none', async (t) => {
  for (let code = 0x20; code < 0x7f; code++) {
    t.equal(strokeOf(String.fromCharCode(code))?.key.text, String.fromCharCode(code))
  }
  t.match(strokeOf('?'), { key: { key: '?', code: 'Slash', keyCode: 191 }, shift: true })
  t.match(strokeOf('7'), { key: { code: 'Digit7', keyCode: 55 }, shift: false })
  t.equal(strokeOf('\n')?.key.text, '\r')
  t.equal(strokeOf('é'), undefined)
  t.equal(withShift(pageKeyOfName('1')).text, '!')
  t.equal(withShift(pageKeyOfName('a')).text, 'A')
  t.equal(withShift(pageKeyOfName('Home')).key, 'Home')
})

t.test('a picture has the pixels it was made from', async (t) => {
  const size = { width: 2, height: 2 }
  const pixels = [0x10, 0x20, 0x30, 0, 1, 2, 3, 0, 0x11, 0x20, 0x2f, 0, 255, 0, 254, 0]
  const png = Buffer.from(await encodePng(Uint8Array.from(pixels), size))
  t.same(pngSize(png), size)
  const at = png.indexOf('IDAT')
  const lines = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
  // Red, green, blue; each line as its difference to the one above.
  t.same([...lines], [2, 0x30, 0x20, 0x10, 3, 2, 1, 2, 255, 0, 1, 251, 254, 254])
})
