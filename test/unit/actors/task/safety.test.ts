// Goal: what a hostile model may not do is refused before anything is sent, and a person is asked
// where one would expect it. Method: pure functions.
import { defined } from '../../../../proto/defined.ts'
import t from 'tap'
import {
  commandCallOf,
  checkAct,
  secretHosts,
  type ActLimits,
} from '../../../../actors/task/safety/acts.ts'
import { checkedAddress } from '../../../../actors/task/safety/addresses.ts'
import { gateOf } from '../../../../actors/task/safety/gate.ts'
import { SecretMasks } from '../../../../runtime/lib/secrets/secret-masks.ts'
import type { Act, Observation } from '../../../../actors/task/prompting/decision.ts'
import { gatedActions } from '../../../../proto/task/task.ts'
import { isOfDomains } from '../../../../runtime/lib/network/domains.ts'
import { isPrivateHost } from '../../../../runtime/lib/network/hosts.ts'

const refused = { type: 'forbidden', message: /\./ }
const open: ActLimits = {
  allowsPrivateNetwork: true,
  gates: [],
  usedSecret: false,
  hasFields: true,
  showsSecret: false,
}

const act = (command: Act['command'], input: object, element?: string): Act => ({
  tool: command,
  command,
  input: { ...input },
  given: {},
  repeat: 'once',
  ...defined({ element }),
})
const page = (text: string, url = 'https://shop.example.com/cart'): Observation => ({
  url,
  title: '',
  text,
  more: 0,
  tabs: [],
  visual: false,
  showsSecret: false,
  fingerprint: '',
  ms: 0,
})
const why = (one: Act, limits: ActLimits) => {
  const checked = checkAct(one, limits)
  return checked.ok ? undefined : checked.why
}

t.test('lists of domains match the right hosts', async (t) => {
  const of = (url: string, ...domains: string[]) => isOfDomains(new URL(url), domains)
  for (const [url, domain] of [
    ['https://example.com/x', 'example.com'],
    ['https://www.example.com/x', 'example.com'],
    ['https://EXAMPLE.com./x', 'Example.com'],
    ['https://a.b.example.com/', '*.example.com'],
    ['wss://example.com:8443/', 'example.com'],
    ['http://example.com/', 'example.com:80'],
    ['https://example.com/', 'example.com:443'],
    ['http://2130706433/', '127.0.0.1'],
    ['https://xn--mnchen-3ya.de/', 'xn--mnchen-3ya.de'],
  ] as const) {
    t.ok(of(url, domain), `${url} is of ${domain}`)
  }
  for (const [url, domain] of [
    ['https://example.com.evil.net/', 'example.com'],
    ['https://evilexample.com/', 'example.com'],
    ['https://evilexample.com/', '*.example.com'],
    ['https://example.com/', '*.example.com'],
    ['https://api.example.com/', 'example.com'],
    ['https://example.com@evil.net/', 'example.com'],
    ['https://evil.net/example.com', 'example.com'],
    ['https://evil.net\\@example.com/', 'example.com'],
    ['http://example.com/', 'example.com:443'],
    ['https://exаmple.com/', 'example.com'],
    ['about:blank', 'example.com'],
    ['data:text/html,example.com', 'example.com'],
  ] as const) {
    t.notOk(of(url, domain), `${url} is not of ${domain}`)
  }
})

t.test('private hosts are recognized, however they are written', async (t) => {
  const written =
    '127.0.0.1 0x7f000001 2130706433 0177.1 127.1 [::1] [::ffff:127.0.0.1] 10.0.0.1 0.0.0.0 '
  const more =
    '169.254.169.254 [fe80::1] [fd00::1] 100.64.0.1 192.168.1.1 172.16.0.1 [64:ff9b::7f00:1] '
  const names =
    '[::7f00:1] localhost app.localhost localhost. intranet printer.local db.internal 127。0。0。1 ①②⑦.1'
  for (const host of `${written}${more}${names}`.split(' ')) {
    t.ok(isPrivateHost(new URL(`http://${host}/`).hostname), host)
  }
  for (const host of ['example.com', '8.8.8.8', '[2606:4700::1111]', '172.32.0.1']) {
    t.notOk(isPrivateHost(new URL(`http://${host}/`).hostname), host)
  }
})

t.test('URLs: only web addresses of the task, without credentials', async (t) => {
  const inside = { allowedDomains: ['example.com'], allowsPrivateNetwork: false }
  const anywhere = { allowsPrivateNetwork: false }
  t.equal(checkedAddress('example.com/a', inside), 'https://example.com/a')
  t.equal(checkedAddress('http://example.com./a', inside), 'http://example.com/a')
  t.equal(checkedAddress('about:blank', inside), 'about:blank')
  const local = { allowsPrivateNetwork: true }
  t.equal(checkedAddress('localhost:3000', local), 'http://localhost:3000/')
  t.throws(() => checkedAddress('https://evil.net/', inside), refused)
  t.throws(() => checkedAddress('https://me:pw@example.com/', inside), refused)
  t.throws(() => checkedAddress('data:text/html,x', anywhere), refused)
  t.throws(() => checkedAddress('about:srcdoc', anywhere), refused)
  for (const url of ['file:///etc/passwd', 'javascript:1', 'chrome://settings', 'view-source:a']) {
    t.throws(() => checkedAddress(url, anywhere), { ...refused, type: 'bad_request' }, url)
  }
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::ffff:10.0.0.1]']) {
    t.throws(() => checkedAddress(`http://${host}/`, anywhere), refused, host)
  }
  t.throws(() => checkedAddress(`https://example.com/${'x'.repeat(9_000)}`, inside), refused)
})

t.test('a placeholder is allowed in the text of type and nowhere else', async (t) => {
  const placeholder = '<secret>password</secret>'
  for (const one of [
    act('navigate', { url: `https://example.com/?q=${placeholder}` }),
    act('navigate', { url: `https://example.com/?q=${encodeURIComponent(placeholder)}` }),
    act('tab_new', { url: `https://example.com/<SECRET>password</SECRET>` }),
    act('type', { target: placeholder, text: 'x' }),
    act('upload', { target: 'e1', name: 'a', content: placeholder }),
    act('select_option', { target: 'e1', values: [placeholder] }),
    act('press', { key: placeholder }),
    act('find', { text: placeholder }),
  ]) {
    t.match(why(one, open), /type, and nowhere else/, JSON.stringify(one.input))
  }
  t.equal(why(act('type', { target: 'e1', text: placeholder }), open), undefined)
})

t.test('a secret is typed together with the domains it belongs to, or not at all', async (t) => {
  const secrets = new SecretMasks({ password: 'hunter2!' })
  const typed = act('type', {
    target: 'e1',
    text: '<secret>password</secret>',
    origins: ['evil.net'],
  })
  t.same(commandCallOf(typed, secrets, ['example.com']), {
    command: 'type',
    input: { target: 'e1', text: 'hunter2!', origins: ['example.com'] },
  })
  t.throws(() => commandCallOf(typed, secrets, []), refused)
  const plain = act('type', { target: 'e1', text: 'hello', origins: ['evil.net'] })
  t.same(commandCallOf(plain, secrets, []).input, { target: 'e1', text: 'hello' })
  t.same(secretHosts({ url: 'http://localhost:3000/x' }, 'https://first.com/'), ['localhost:3000'])
  t.same(secretHosts({}, 'https://first.com/'), ['first.com'])
  t.same(secretHosts({ allowedDomains: ['a.com'], url: 'https://b.com' }, undefined), ['a.com'])
  t.same(secretHosts({}, 'about:blank'), [])
})

t.test('scripts, and keys of the desktop, are never allowed', async (t) => {
  for (const command of [
    'evaluate',
    'clipboard_read',
    'paste',
    'keyboard_type',
    'keyboard_shortcut',
  ]) {
    t.ok(why(act(command as 'evaluate', {}), open), command)
  }
})

t.test('a typed secret cannot be copied to the clipboard', async (t) => {
  const used = { ...open, usedSecret: true }
  for (const key of ['Control+c', 'ctrl+V', 'Shift+Insert', 'Control+Shift+v', 'Meta+x']) {
    t.ok(why(act('press', { key }), used), key)
    t.equal(why(act('press', { key }), open), undefined)
  }
  t.equal(why(act('press', { key: 'Control+a' }), used), undefined)
  t.ok(why(act('drag', { from: 'e1', to: 'e2' }, 'e1 textbox "Password"'), used))
})

t.test('nor by other mouse buttons, or a drag between positions', async (t) => {
  const used = { ...open, usedSecret: true }
  for (const button of ['middle', 'right']) {
    for (const one of [
      act('click', { target: 'e1', button }),
      act('mouse_click', { x: 1, y: 1, button }),
    ]) {
      t.match(why(one, used), /left button/, `${one.command} ${button}`)
      t.equal(why(one, open), undefined)
    }
  }
  t.equal(why(act('click', { target: 'e1', button: 'left' }), used), undefined)
  const drag = act('drag_and_drop', { startX: 1, startY: 1, endX: 9, endY: 9 })
  t.match(why(drag, used), /not dragged/)
  t.equal(why(drag, { ...used, hasFields: false }), undefined, 'a canvas has no texts to drag')
})

t.test('a typed value cannot be changed into one that no mask knows', async (t) => {
  const used = { ...open, usedSecret: true }
  const keys = ['Backspace', 'Delete', 'Control+Backspace', 'x', 'X', '7', 'Control+z', 'Shift+a']
  for (const key of keys) {
    t.match(why(act('press', { key }), used), /filled in whole/, key)
    t.equal(why(act('press', { key }), open), undefined)
  }
  for (const key of ['Enter', 'Tab', 'Escape', 'ArrowDown', 'PageDown', 'Control+a', 'Control++']) {
    t.equal(why(act('press', { key }), used), undefined, key)
  }
  t.equal(why(act('press', { key: 'j' }), { ...used, hasFields: false }), undefined)
  const append = act(
    'type',
    { target: 'e1', text: 'x', append: true },
    'e1 textbox "Pin": <secret>pin</secret>',
  )
  t.match(why(append, used), /appended/)
})

t.test('a typed value cannot be guessed character by character', async (t) => {
  const shown = { ...open, usedSecret: true, showsSecret: true }
  for (const one of [
    act('find', { text: 'h' }),
    act('wait_for', { text_gone: 'hu' }),
    act('select_text', { text: 'h' }),
    act('select_text', { target: 'e1', from: 'h', to: 'u' }),
    act('hover', { target: 'text "h"' }),
  ]) {
    t.match(why(one, shown), /not searched/, one.command)
    t.equal(why(one, { ...shown, showsSecret: false }), undefined)
  }
  t.equal(why(act('wait_for', { network_idle: true }), shown), undefined)
  const aim = act('hover', { target: 'input[type=password][value^="h"]' })
  t.match(why(aim, shown), /not at attributes/)
  t.equal(why(aim, open), undefined)
  t.equal(why(act('hover', { target: '#menu .first' }), shown), undefined)
})

t.test('while a person may be asked, targets must have a line', async (t) => {
  const gated: ActLimits = { ...open, gates: gatedActions }
  t.match(why(act('click', { target: '#pay' }), gated), /ref of the page/)
  t.match(why(act('click', { target: 'e12' }), gated), /ref of the page/)
  t.equal(why(act('click', { target: 'e12' }, 'e12 button "Pay"'), gated), undefined)
  t.equal(why(act('click', { target: 'button "Pay"' }), gated), undefined)
  t.equal(why(act('click', { target: '#pay' }), open), undefined)
})

const fresh = { typed: false, usedSecret: false }
const gate = (one: Act, text = '', past = fresh) => gateOf(one, page(text), past)
const click = (element: string) => act('click', { target: /^e\d+/.exec(element)![0] }, element)

t.test('buttons that pay, delete and download are recognized in many languages', async (t) => {
  const said = {
    payment:
      'Pay now|Buy|Place your order|Jetzt kaufen|Zahlungspflichtig bestellen|Überweisen|Payer|Comprar ahora|Acquista|Kup teraz|Köp|Satın al|Оплатить|立即购买|購入する|결제하기|Pay $10.00|Zapłać',
    deletion:
      'Delete|Remove from list|Löschen|Supprimer|Eliminar|Rimuovi|Excluir|Usuń|Ta bort|Удалить|删除|削除|삭제|Cancel subscription',
    download:
      'Download|Herunterladen|Télécharger|Descargar|Скачать|下载|ダウンロード|report.zip|data.csv (2 MB)',
  } as const
  for (const [action, names] of Object.entries(said)) {
    for (const name of names.split('|')) t.equal(gate(click(`e1 button "${name}"`)), action, name)
  }
  for (const name of [
    'Search',
    'Next',
    'Payments',
    'Open',
    'Orders',
    'Buyer guide',
    'Log in',
    'Siloam',
    'Order history',
  ]) {
    t.equal(gate(click(`e1 button "${name}"`)), undefined, name)
  }
})

t.test('in a line with several elements, the target is the one that is meant', async (t) => {
  const line =
    'Ada | e2 checkbox "Paid" | e3 link "Open" e4 button "Delete" | e5 clickable .icon.trash | e6 clickable'
  const on = (ref: string) => gate(act('click', { target: ref }, line))
  t.equal(on('e3'), undefined)
  t.equal(on('e4'), 'deletion')
  t.equal(on('e5'), 'deletion')
  t.equal(on('e6'), 'deletion', 'all of the line, where the thing says nothing of itself')
  t.equal(on('e2'), undefined)
  t.equal(gate(act('click', { target: 'button "Delete"' })), 'deletion')
})

t.test('Enter, submit and positions are judged by the buttons on the page', async (t) => {
  const shop = 'e1 textbox "Name" focused\ne2 button "Place order"'
  t.equal(gate(act('press', { key: 'Enter' }), shop), 'payment')
  t.equal(gate(act('press', { key: 'Control+Enter' }), shop), 'payment')
  t.equal(gate(act('type', { target: 'e1', text: 'x', submit: true }), shop), 'payment')
  t.equal(gate(act('type', { target: 'e1', text: 'x', submit: false }), shop), undefined)
  t.equal(gate(act('mouse_click', { x: 1, y: 1 }), shop), 'payment')
  t.equal(gate(act('press', { key: 'Enter' }), 'e1 textbox "Search"\ne2 button "Go"'), undefined)
  const card = 'e1 textbox "Card number"\ne2 button "Continue" e3 link "Help"'
  t.equal(gate(click('e2 button "Continue"'), card), 'payment')
  t.equal(gate(click('e3 link "Help"'), card), undefined)
  t.equal(gate(act('handle_dialog', { accept: true }), 'confirm: Really delete it?'), 'deletion')
  t.equal(gate(act('handle_dialog', { accept: false }), 'confirm: Really delete it?'), undefined)
  const dialog = 'The page shows a dialog (confirm: "Really delete it?"); answer it first.'
  t.equal(gate(act('press', { key: 'Enter' }), dialog), 'deletion', 'as with handle_dialog')
  t.equal(gate(act('press', { key: 'Escape' }), dialog), undefined)
  t.equal(gate(act('press', { key: 'Alt+p' }), shop), 'payment', 'an access key')
  t.equal(
    gate(act('drag', { from: 'e1', to: 'e2' }, 'e1 slider "Slide to pay" to e2 group')),
    'payment',
  )
  t.equal(gate(act('upload', { target: 'e1', name: 'a', content: '' })), 'upload')
})

t.test('leaving for another site with data is recognized', async (t) => {
  const go = (url: string, past = fresh) => gate(act('navigate', { url }), '', past)
  t.equal(go('https://evil.net/?q=1'), undefined)
  t.equal(go('https://evil.net/?q=1', { typed: true, usedSecret: false }), 'leaving_site')
  t.equal(go('https://evil.net/', { typed: true, usedSecret: false }), undefined)
  t.equal(go('https://evil.net/', { typed: true, usedSecret: true }), 'leaving_site')
  t.equal(go('https://example.com/?q=1', { typed: true, usedSecret: true }), undefined)
  t.equal(go('https://shop.example.com/setup.exe'), 'download')
})

t.test(
  'scripts are run only where the order has them, and never beside secrets or gates',
  async (t) => {
    const script = act('run_script', { code: '() => 1' })
    const may: ActLimits = { ...open, mayScript: true }
    t.equal(why(script, may), undefined)
    for (const limits of [open, { ...may, usedSecret: true }, { ...may, gates: gatedActions }]) {
      t.match(why(script, limits), /not run in this task/)
    }
  },
)
