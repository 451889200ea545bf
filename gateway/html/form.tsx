/** Forms with their token, and the summary of a form's errors. */
import { newHolder, formTokenField } from './forms/form-token.ts'
import { isAbout, sentenceFor } from './forms/problem.ts'
import type { FormProblem } from './forms/problem.ts'
import { fieldHref } from './fields.tsx'
import type { Markup } from './markup.ts'

export const hiddenField = (name: string, value: string) => (
  <input type="hidden" name={name} value={value} />
)

/**
 * The visit of the person who fills in a form, with the token that proves that the form is theirs.
 */
export interface FormVisit {
  readonly facts: { readonly formToken: string }
}

/** `action` is a path of these pages. */
export const PostForm = ({
  visit,
  action,
  seen,
  isOnce,
  class: className,
  children,
}: {
  visit: FormVisit
  action: string
  /** The version of the object that the page shows. */
  seen?: number
  /** Set if the form creates something: sending it twice then creates it once. */
  isOnce?: boolean
  class?: string
  children?: Markup
}) => (
  <form method="post" action={action} class={className}>
    {hiddenField(formTokenField, visit.facts.formToken)}
    {seen === undefined ? '' : hiddenField('seen', String(seen))}
    {isOnce ? hiddenField('once', newHolder()) : ''}
    {children}
  </form>
)

export const SubmitButton = ({
  kind = 'main',
  name,
  value,
  children,
}: {
  kind?: 'main' | 'plain' | 'danger'
  name?: string
  value?: string
  children?: Markup
}) => (
  <button type="submit" class={`button ${kind}`} name={name} value={value}>
    {children}
  </button>
)

/** A field's name and label, for the error summary. */
export interface NamedField {
  readonly name: string
  readonly id?: string
  readonly label: string
  /** The field's name in REST, if it differs from the form's. */
  readonly about?: string
}

/** Takes the focus, shows the error, and links to each field concerned. */
export const ErrorSummary = ({
  problem,
  fields = [],
}: {
  problem: FormProblem | undefined
  fields?: readonly NamedField[]
}) => {
  if (!problem) return <></>
  const wrong = fields.filter(({ name, about = name }) => isAbout(problem, about))
  return (
    <div class="notice bad" role="alert" tabindex={-1} autofocus>
      <h2 class="notice-title">There is a problem</h2>
      {wrong.length === 0 ? (
        <p>{problem.error.message}</p>
      ) : (
        <ul>
          {wrong.map(({ label, ...of }) => (
            <li>
              <a href={fieldHref(of)}>{sentenceFor(problem, label, of.about ?? of.name)}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** A collapsed part of a page, for example a form that few people need. */
export const Collapsible = ({
  label,
  isOpen,
  children,
}: {
  label: string
  isOpen?: boolean
  children?: Markup
}) => (
  <details class="folded" open={isOpen}>
    <summary>{label}</summary>
    <div class="folded-body">{children}</div>
  </details>
)
