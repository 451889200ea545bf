/** The login form of a page, in any of its frames. */
import type { FoundLoginForm, LoginFieldKind } from '../in-page/logins/form.ts'
import { pollUntil } from '../../runtime/lib/poll-until.ts'
import type { PageFrame } from '../page/tabs/frames.ts'
import { callInFrames } from '../page/targeting/all-frames.ts'
import { elementIn, type ElementHandle } from '../page/targeting/element.ts'
import type { FramedTab } from '../page/targeting/matching.ts'
import { inLoginPage } from './in-login-page.ts'
import { fillLimits } from './limits.ts'

const { findLoginForm, loginField, namedLoginField } = inLoginPage

/** A form, with the frame that has it. */
export interface FramedLoginForm extends FoundLoginForm {
  readonly frame: PageFrame
}

/** Those of all frames, the page's own first; waits for one. */
export async function findLoginForms(
  place: FramedTab,
  withinMs: number,
): Promise<readonly FramedLoginForm[]> {
  const { formPollMs: everyMs } = fillLimits
  const found = await pollUntil(place.tab.clock, { everyMs, withinMs }, async () => {
    const forms = await formsNow(place)
    return forms.length === 0 ? undefined : forms
  })
  return found ?? []
}

async function formsNow(place: FramedTab): Promise<readonly FramedLoginForm[]> {
  const answers = await callInFrames(place, findLoginForm)
  return answers.flatMap(({ frame, value: form }) =>
    form && form.origin !== 'null' ? [{ ...form, frame }] : [],
  )
}

/** `of`: a kind of field, or the name of a custom one. */
export async function loginFieldIn(
  { tab, frames }: FramedTab,
  { frame }: FramedLoginForm,
  of: { readonly kind: LoginFieldKind } | { readonly name: string },
): Promise<ElementHandle | undefined> {
  const place = { tab, frame, world: await frames.worldOf(frame) }
  return 'kind' in of
    ? elementIn(place, loginField, of.kind)
    : elementIn(place, namedLoginField, of.name)
}
