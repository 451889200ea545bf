/** Goal: a log of addresses says where somebody went, and nothing that was typed, sent or is secret. */
import t from 'tap'
import { shownUrl } from '../../../../runtime/lib/text/shown-url.ts'

const of = (url: string) => shownUrl(url, 60)

t.test('where it leads stays', (t) => {
  for (const url of [
    'https://a.example/@name/x',
    'https://a.example/#/inbox',
    'http://127.0.0.1:8080/',
    'about:blank',
    'blob:https://a.example/0b1c',
    '',
  ]) {
    t.equal(of(url), url)
  }
  t.equal(of('https://a.example/?page=2&sort=up#top'), 'https://a.example/?page=…&sort=…#top')
  t.equal(of(`https://a.example/${'x'.repeat(100)}`).length, 61)
  t.end()
})

t.test('what may be secret does not', (t) => {
  for (const [url, shown] of [
    ['https://anna:kettle@a.example/x', 'https://a.example/x'],
    ['https://kettle@a.example', 'https://a.example'],
    ['https://anna:k@ettle@a.example/x', 'https://a.example/x'],
    ['https://a.example/find?q=kettle', 'https://a.example/find?q=…'],
    ['https://a.example/find?kettle', 'https://a.example/find?…'],
    ['https://a.example/find?q=a=kettle&r=', 'https://a.example/find?q=…&r='],
    ['https://a.example/find?q=a\n=kettle', 'https://a.example/find?q=…'],
    ['https://a.example/#access_token=kettle&x=1', 'https://a.example/#access_token=…&x=…'],
    ['https://a.example/?q=1#/login?user=kettle', 'https://a.example/?q=…#/login?user=…'],
    ['data:text/html,<p>kettle', 'data:text/html…'],
    ['data:text/html;base64,a2V0dGxl', 'data:text/html…'],
    ['data:kettle,x', 'data:…'],
    [`data:${'kettle'.repeat(50)},x`, 'data:…'],
    ['javascript:kettle()', 'javascript:…'],
  ] as const) {
    t.equal(of(url), shown)
  }
  t.end()
})
