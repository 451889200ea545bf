/**
 * Finds the login form of a document: by what its fields say of themselves, in the order in which
 * authors are most exact: `autocomplete`, type, then names and labels.
 */
import type { AnyElement } from '../any-element.ts'
import { attributeOf, closestTo, documentOf, styleOf } from '../dom.ts'
import { isVeiled } from '../snapshot/visible.ts'
import { isSeen } from '../targeting/boxes.ts'
import { elementAbove } from '../targeting/hits.ts'
import { allMatches } from '../targeting/matching.ts'

export type LoginFieldKind = 'username' | 'password' | 'code'

export interface FoundLoginForm {
  /** `null` as a text for a document without an origin. */
  readonly origin: string
  readonly kinds: readonly LoginFieldKind[]
  /** The origins that the form may send to without a script; `null` for an address that is none. */
  readonly posts: readonly string[]
}

/** The fields of the form that was found last. */
let found: ReadonlyMap<LoginFieldKind, AnyElement> = new Map()

const textTypes = ['', 'email', 'number', 'tel', 'text', 'url']
const codeWords =
  /\b(otp|totp|mfa|2fa|two.?factor|one.?time|verif\w*|passcode|pass.?code|security.?code|auth\w*.?code|code)\b/i
const otherCodes =
  /captcha|promo|coupon|voucher|discount|gift|zip|post(al|code)|country|area|dial|invite|referral/i
const nameWords =
  /user|log.?in|sign.?in|e-?mail|account|identif|benutzer|anmeld|konto|usuario|correo|utilisateur|member|customer|phone/i
const otherForms =
  /create|sign.?up|regist|join|subscri|newsletter|contact|abonn|inscri|anlegen|neues konto/i
const formWords =
  /log.?[io]n|sign.?[io]n|auth|sso|session|account|identif|anmeld|einlogg|connexion|iniciar|acced/i

/** Undefined if there is none that can be seen. */
export function findLoginForm(): FoundLoginForm | undefined {
  const inputs = (allMatches('input') as readonly AnyElement[]).filter(isFillable)
  const fields = new Map<LoginFieldKind, AnyElement>()
  const code = inputs.find(isCode)
  const passwords = inputs.filter((input) => isCurrentPassword(input, inputs))
  // A page may have a registration beside the login.
  const password = passwords.find((input) => speaksOfLogin(formOf(input))) ?? passwords[0]
  const username = usernameAmong(inputs, password)
  if (username) fields.set('username', username)
  if (password) fields.set('password', password)
  if (code && code !== username) fields.set('code', code)
  found = fields
  if (fields.size === 0) return undefined
  const posts = new Set([...fields.values()].flatMap(postsOf))
  return { origin: self.origin, kinds: [...fields.keys()], posts: [...posts] }
}

/** A field of the form that was found last. */
export const loginField = (kind: LoginFieldKind): Element | undefined => found.get(kind)

/** A text field with this name, label or placeholder; that of the form that was found comes first. */
export function namedLoginField(name: string): Element | undefined {
  const wanted = plain(name)
  const others = (allMatches('input') as readonly AnyElement[])
    .filter(isFillable)
    .filter((input) => textsOf(input).some((text) => plain(text) === wanted))
  const forms = new Set([...found.values()].map(formOf))
  return others.find((input) => forms.has(formOf(input))) ?? others[0]
}

const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

function isFillable(input: AnyElement): boolean {
  const type = input.type ?? ''
  if (type !== 'password' && !textTypes.includes(type)) return false
  if (input.readOnly || input.matches(':disabled') || !isSeen(input)) return false
  for (let at: Element | null = input; at; at = elementAbove(at)) {
    const style = styleOf(at)
    if (isVeiled(style, style.display)) return false
  }
  return true
}

const wordsOf = (input: Element) => (attributeOf(input, 'autocomplete') ?? '').toLowerCase()

const formOf = (input: AnyElement): Element | Document =>
  closestTo(input, 'form') ?? documentOf(input)

/** What it is called, for its author and for people. */
function textsOf(input: AnyElement): readonly string[] {
  const named = ['name', 'id', 'aria-label', 'placeholder', 'title']
  const labels = [...(input.labels ?? [])].map((label) => label.textContent)
  return [...named.map((name) => attributeOf(input, name) ?? ''), ...labels]
}

function isCode(input: AnyElement): boolean {
  if (wordsOf(input).includes('one-time-code')) return true
  if (input.type === 'password' || input.type === 'email') return false
  const texts = textsOf(input).join(' ').replaceAll(/[_-]/g, ' ')
  return codeWords.test(texts) && !otherCodes.test(texts)
}

/** Not that of a registration, or of a change: those ask twice, or say that it is new. */
function isCurrentPassword(input: AnyElement, inputs: readonly AnyElement[]): boolean {
  if (input.type !== 'password') return false
  const words = wordsOf(input)
  if (words.includes('new-password') || words.includes('one-time-code')) return false
  if (words.includes('current-password')) return true
  const form = formOf(input)
  const beside = inputs.filter((other) => other.type === 'password' && formOf(other) === form)
  return beside.length === 1
}

function usernameAmong(
  inputs: readonly AnyElement[],
  password: AnyElement | undefined,
): AnyElement | undefined {
  const form = password && formOf(password)
  const texts = inputs.filter(
    (input) => input.type !== 'password' && !isCode(input) && (!form || formOf(input) === form),
  )
  const named = texts.find((input) => wordsOf(input).includes('username'))
  if (named) return named
  if (password) {
    const before = texts.filter((input) => isBefore(input, password))
    const fitting = before.filter(
      (input) => input.type === 'email' || nameWords.test(textsOf(input).join(' ')),
    )
    return fitting.at(-1) ?? before.at(-1)
  }
  // A field for a newsletter asks for an address too, so the rest has to speak of a login.
  const passwords = inputs.filter(({ type }) => type === 'password').map(formOf)
  return texts.find((input) => {
    if (passwords.includes(formOf(input))) return false
    const isNamed = input.type === 'email' || nameWords.test(textsOf(input).join(' '))
    return isNamed && speaksOfLogin(formOf(input))
  })
}

const isBefore = (a: Node, b: Node) =>
  (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0

function speaksOfLogin(form: Element | Document): boolean {
  const buttons = [...form.querySelectorAll('button, input[type=submit], [role=button], h1, h2')]
  const own = 'localName' in form ? ['action', 'id', 'class', 'name'] : []
  const texts = [
    ...buttons.map((button) => `${button.textContent} ${attributeOf(button, 'value') ?? ''}`),
    ...own.map((name) => attributeOf(form as Element, name) ?? ''),
    ...('localName' in form ? [] : [location.pathname, document.title]),
  ]
  const isOther = texts.some((text) => otherForms.test(text))
  return !isOther && texts.some((text) => formWords.test(text))
}

/** Where a form sends to by itself, and by each of its buttons. */
function postsOf(input: AnyElement): readonly string[] {
  const form = closestTo(input, 'form')
  if (!form) return []
  const buttons = [...form.querySelectorAll('[formaction]')]
  const addresses = [
    attributeOf(form, 'action'),
    ...buttons.map((button) => attributeOf(button, 'formaction')),
  ]
  return addresses.flatMap((address) => {
    if (address === null || address === '') return []
    if (!URL.canParse(address, document.baseURI)) return ['null']
    const { origin, protocol } = new URL(address, document.baseURI)
    // A script handles it.
    return protocol === 'javascript:' ? [] : [origin]
  })
}
