/** Returns the options for a passkey when its button is pressed, with a fresh challenge. */
import { z } from 'zod'
import { ServiceError } from '../../../proto/errors.ts'
import { jsonReply } from '../../routing/answers/reply.ts'
import type { Route } from '../../routing/route.ts'
import type { SubmittedForm } from '../../html/forms/form.ts'
import { readForm } from '../../html/forms/form.ts'
import { htmlRoute, type HtmlCall } from '../../routing/html-route.ts'
import type { ServeDeps } from '../serve/serve.ts'
import { checkForm, formTokenField } from '../../html/forms/form-token.ts'

export const offerAnswer = z.object({
  data: z.object({ options: z.looseObject({}), attempt: z.string() }),
})

export const passkeyOptionRoutes = (deps: ServeDeps): readonly Route[] => [
  htmlRoute('POST', '/portal/passkeys/options', async (asked) => {
    const form = await readForm(asked.request)
    const offer = form.text('for') === 'step_up' ? ofStepUp : ofSignIn
    return jsonReply(200, await offer(deps, asked, form))
  }),
]

/** Valid only in the browser that has the cookie of the sign-in page. */
function ofSignIn(
  { acts, cookies }: ServeDeps,
  { request, requestId }: HtmlCall,
  form: SubmittedForm,
) {
  const holder = cookies.form(request)
  checkForm(request, form.exact(formTokenField), holder)
  const act = { body: { holder } }
  return acts.run({ request, requestId }, 'POST /v1/sign-in/passkeys/options', act, offerAnswer)
}

function ofStepUp(deps: ServeDeps, { request, requestId }: HtmlCall, form: SubmittedForm) {
  const { acts, cookies, services } = deps
  const held = cookies.session(request)
  if (!held) throw new ServiceError('unauthorized', 'Your session has ended. Sign in again.')
  checkForm(request, form.exact(formTokenField), held.text)
  const origin = { requestId, address: services.addressOf(request) }
  const caller = services.authenticator.bySession(held.text, origin)
  const actor = { request, requestId, caller }
  return acts.run(actor, 'POST /v1/sign-in/step-up/passkeys/options', {}, offerAnswer)
}
