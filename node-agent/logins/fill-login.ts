/**
 * Fills in the login form of the selected tab. The form is found first, and only then are the values asked
 * for, with the origins of the frames that have one.
 */
import { defined } from '../../proto/defined.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { SiteLoginValues } from '../../proto/session/site-login.ts'
import type { LoginFieldKind } from '../in-page/logins/form.ts'
import type { ActionContext, PreparedAction } from '../page/actions/acting.ts'
import { awaitActionable, forTyping } from '../page/targeting/actionable.ts'
import { callIn } from '../page/targeting/element.ts'
import type { FilledValues } from './filled-values.ts'
import { inLoginPage } from './in-login-page.ts'
import { fillLimits } from './limits.ts'
import { findLoginForms, loginFieldIn, type FramedLoginForm } from './login-form.ts'
import type { AskLoginValues } from './login-values.ts'

const { fillLoginField, veilValues } = inLoginPage

export interface LoginFillOrder {
  readonly ticket: string
  readonly submit: boolean
  /** For a page to show its form. */
  readonly timeoutMs: number
  readonly ask: AskLoginValues
  readonly filled: Pick<FilledValues, 'add'>
  /** Called once it is done. */
  readonly onFilled: (login: string, parts: readonly string[]) => void
}

/** Nothing is asked for before its turn: it may be prepared in vain, and codes are given once. */
export async function fillLogin(
  context: ActionContext,
  order: LoginFillOrder,
): Promise<PreparedAction> {
  const forms = await findLoginForms(context, order.timeoutMs)
  if (forms.length === 0) throw noFormError()
  return {
    effect: order.submit ? 'drawn' : 'awaited',
    async run() {
      const { form, login, values } = await valuesFor(forms, order)
      await order.filled.add(context.tab, login, values)
      await veil(context, form, values)
      const parts = await fillForm(context, form, values)
      if (parts.length === 0) throw nothingFilled(login, form)
      order.onFilled(login, parts)
      if (order.submit) await context.keyboard.shortcut(context.tab, ['Enter'])
      return undefined
    },
  }
}

async function valuesFor(forms: readonly FramedLoginForm[], { ticket, ask }: LoginFillOrder) {
  const has = (kind: LoginFieldKind) => forms.some(({ kinds }) => kinds.includes(kind))
  const wants = { username: has('username'), password: has('password'), code: has('code') }
  const asked = forms.map(({ origin, posts }) => ({ origin, posts }))
  const { name: login, origin, values } = await ask({ ticket, forms: asked, wants })
  return { form: forms.find((form) => form.origin === origin)!, login, values }
}

async function veil(
  { tab, frames }: ActionContext,
  { frame }: FramedLoginForm,
  { username, password, code, fields }: SiteLoginValues,
): Promise<void> {
  const texts = Object.values({ ...fields, ...defined({ username, password, code }) })
  const telling = texts.filter((text) => text.trim().length >= fillLimits.hiddenCharsLeast)
  const values = telling.map((value) => ({
    value,
    wholeWords: value.length < limits.secretStrongChars,
  }))
  await callIn(tab, frame, await frames.worldOf(frame), veilValues, values)
}

/** Returns what it has filled in; parts of the login that the form does not ask for are left out. */
async function fillForm(
  context: ActionContext,
  form: FramedLoginForm,
  { fields = {}, ...values }: SiteLoginValues,
): Promise<readonly string[]> {
  const filled: string[] = []
  for (const kind of ['username', 'password', 'code'] as const) {
    const value = values[kind]
    if (value === undefined || !form.kinds.includes(kind)) continue
    await fillField(context, form, { of: { kind }, value, label: labels[kind] })
    filled.push(kind)
  }
  for (const [name, value] of Object.entries(fields)) {
    const element = await loginFieldIn(context, form, { name })
    if (!element) continue
    element.release()
    await fillField(context, form, { of: { name }, value, label: `The field ${name}` })
    filled.push(name)
  }
  return filled
}

const labels = {
  username: 'The field of the user name',
  password: 'The field of the password',
  code: 'The field of the code',
} as const

interface FieldFill {
  readonly of: { readonly kind: LoginFieldKind } | { readonly name: string }
  readonly value: string
  /** For errors, which never have the value. */
  readonly label: string
}

/** It has to be visible, enabled and not covered, as for typing. */
async function fillField(
  context: ActionContext,
  form: FramedLoginForm,
  { of, value, label }: FieldFill,
): Promise<void> {
  const { element } = await awaitActionable(
    context,
    {
      target: label,
      timeoutMs: fillLimits.fieldMs,
      async find() {
        const element = await loginFieldIn(context, form, of)
        return element && { element, matches: 1 }
      },
    },
    forTyping,
  )
  const isFilled = await element.call(fillLoginField, value)
  element.release()
  if (isFilled) return
  throw new ServiceError('conflict', `${label} did not accept what was filled in.`)
}

function noFormError(): ServiceError {
  const text =
    'This page shows no login form. Go to the page on which the site asks for the login; a form ' +
    'that cannot be seen is not filled in.'
  return new ServiceError('not_found', text)
}

function nothingFilled(login: string, { kinds, origin }: FramedLoginForm): ServiceError {
  const text =
    `The form on ${origin} asks for ${kinds.join(' and ')}, which the login ${login} does not ` +
    'have; PATCH /v1/logins adds it.'
  return new ServiceError('not_found', text)
}
