import type { PageRequest } from '../../platform/http/pages/page-request.ts'
import type { Answer } from '../../platform/http/refusal.ts'
import { viewAnswer } from './answers.ts'
import { contextOf } from './context.ts'
import type { PageViews, SimulatorOrder } from './facts.ts'

/** Shows the page that replaces an operator's app in test mode, with the look of the hosted page. */
export function createShowSimulator(deps: { views: PageViews; brand_name: string; origin: () => string }) {
  return (asked: Omit<PageRequest, 'address'>, order: SimulatorOrder): Promise<Answer> => {
    const context = contextOf(asked, deps.brand_name)
    const to = { headers: asked.headers, secure: deps.origin().startsWith('https:') }
    return viewAnswer(to, 200, deps.views.simulator(order, context))
  }
}
