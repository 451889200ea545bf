/** A button that asks before it acts, also without scripts. */
import { PostForm, SubmitButton } from '../../html/form.tsx'
import type { Markup } from '../../html/markup.ts'
import type { ConsoleVisit } from '../visit.ts'

export const QuestionButton = ({
  id,
  visit,
  action,
  label,
  does,
  keeps,
  question,
  isLink,
  isHarmless,
  children,
}: {
  /** Unique on the page. */
  id: string
  visit: ConsoleVisit
  /** The path of the form. */
  action: string
  label: Markup
  /** The labels of the buttons that confirm and that cancel. */
  does: string
  keeps: string
  question: Markup
  /** Shown as a link, for rows of tables. */
  isLink?: boolean
  /** It makes something, and nothing is lost by it. */
  isHarmless?: boolean
  /** Fields of the form. */
  children?: Markup
}) => (
  <>
    <button
      type="button"
      class={`${isLink ? 'link' : 'button'}${isHarmless ? '' : ' danger'}`}
      popovertarget={id}
    >
      {label}
    </button>
    <div id={id} popover="auto" class="question" role="group" aria-label={does}>
      <p>{question}</p>
      <PostForm visit={visit} action={action}>
        {children}
        <div class="buttons">
          <SubmitButton kind={isHarmless ? 'main' : 'danger'}>{does}</SubmitButton>
          <button type="button" class="button plain" popovertarget={id}>
            {keeps}
          </button>
        </div>
      </PostForm>
    </div>
  </>
)
