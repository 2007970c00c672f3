import { deliverySummary } from '../../columns/deliveries.ts';
import { defineCommand, positional } from '../../command.ts';
import { deliveryWord, findDeliveryId, foundBy } from '../../deliveries/finding.ts';
import { UsageError } from '../../failures/failure.ts';
import { BadValue, dashed } from '../../line/flags.ts';
